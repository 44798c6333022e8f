import { moneyText } from "../../components/amount.ts";
import { parseMoney } from "../../components/parse-amount.ts";

/** Formats limits for editing: `{usd: 500000, jpy: 90000}` → `USD 5000.00, JPY 90000`. */
export function limitsText(limits: Readonly<Record<string, number>>): string {
  return Object.entries(limits)
    .map(([currency, amount]) => `${currency.toUpperCase()} ${moneyText(amount, currency)}`)
    .join(", ");
}

/** Parses limits. Returns invalid text as typed, so that the service rejects it instead of ignoring it. */
export function readLimits(text: string): Record<string, number | string> {
  const parts = text.split(/[,;]\s+|[,;]$/).filter((part) => part.trim() !== "");
  return Object.fromEntries(
    parts.map((part) => {
      const [, code = part, amount = ""] = /^\s*([A-Za-z]{3})\s*(.*)$/.exec(part) ?? [];
      const currency = code.toLowerCase();
      const read = /^[a-z]{3}$/.test(currency) ? parseMoney(amount, currency) : null;
      return [currency, read ?? amount];
    }),
  );
}
