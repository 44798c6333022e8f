import type { DefaultTerms, Terms, TermsAmounts } from "@florin/contract/operator.ts";
import { formatMoney } from "../../components/amount.ts";

/** Formats the rate limit that applies to the account. */
export function shownRateLimit(
  { requests_per_second: own }: Pick<Terms, "requests_per_second">,
  { requests_per_second: usual }: Pick<DefaultTerms, "requests_per_second">,
): string {
  if (own !== null) return perSecond(own);
  return `${usual === null ? "None" : perSecond(usual)} (default)`;
}

function perSecond(requests: number): string {
  return `${requests} ${requests === 1 ? "request" : "requests"} per second in each mode`;
}

/**
 * Formats the amounts of one kind that apply to the account, first the account's own, then the defaults:
 * `€0.25, $0.30 (default)`.
 */
export function shownAmounts(
  { amounts }: Pick<Terms, "amounts">,
  defaults: Pick<DefaultTerms, "amounts">,
  kind: keyof TermsAmounts,
  locale?: string,
): string {
  const own: string[] = [];
  const usual: string[] = [];
  for (const [currency, set] of Object.entries(defaults.amounts)) {
    const amount = amounts[currency]?.[kind];
    if (amount !== undefined) own.push(formatMoney(amount, currency, locale));
    else usual.push(`${formatMoney(set[kind], currency, locale)} (default)`);
  }
  return [...own, ...usual].join(", ");
}
