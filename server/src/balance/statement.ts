import type { BalanceTransaction } from "@florin/contract/balance.ts";
import { currencyDigits, isCurrency } from "../primitives/money.ts";

const columns = [
  "id",
  "created",
  "available_on",
  "type",
  "currency",
  "amount",
  "fee",
  "net",
  "source",
] as const;

/**
 * A statement as CSV (RFC 4180), for a spreadsheet: times in UTC, amounts with their decimal point. Everything in it
 * is ours, ids and numbers, so nothing needs quotes and nothing can be a formula.
 */
export function statement(transactions: readonly BalanceTransaction[]): string {
  const lines = transactions.map((one) =>
    [
      one.id,
      time(one.created),
      time(one.available_on),
      one.type,
      one.currency,
      decimal(one.amount, one.currency),
      decimal(one.fee, one.currency),
      decimal(one.net, one.currency),
      one.source,
    ].join(","),
  );
  return `${[columns.join(","), ...lines].join("\r\n")}\r\n`;
}

function time(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function decimal(minor: number, currency: string): string {
  const digits = isCurrency(currency) ? currencyDigits(currency) : 0;
  const text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const sign = minor < 0 ? "-" : "";
  return digits === 0 ? `${sign}${whole}` : `${sign}${whole}.${text.slice(-digits)}`;
}
