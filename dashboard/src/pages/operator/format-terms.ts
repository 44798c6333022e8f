import type { DefaultTerms, Terms, TermsAmounts } from "@florin/contract/operator.ts";
import { formatMoney } from "../../components/amount.ts";

/** Formats the rate limit that applies to the account. */
export function shownRateLimit(
  { requests_per_second: own }: Pick<Terms, "requests_per_second">,
  { requests_per_second: defaultRate }: Pick<DefaultTerms, "requests_per_second">,
): string {
  if (own !== null) return perSecond(own);
  return `${defaultRate === null ? "None" : perSecond(defaultRate)} (default)`;
}

function perSecond(requests: number): string {
  return `${requests} ${requests === 1 ? "request" : "requests"} per second in each mode`;
}

/**
 * Formats all fees or limits of one kind that apply to the account. The account's own amounts come first, then the
 * defaults: `€0.25, $0.30 (default)`.
 */
export function shownAmounts(
  { amounts }: Pick<Terms, "amounts">,
  defaults: Pick<DefaultTerms, "amounts">,
  kind: keyof TermsAmounts,
  locale?: string,
): string {
  const own: string[] = [];
  const defaultAmounts: string[] = [];
  for (const [currency, set] of Object.entries(defaults.amounts)) {
    const amount = amounts[currency]?.[kind];
    if (amount !== undefined) own.push(formatMoney(amount, currency, locale));
    else defaultAmounts.push(`${formatMoney(set[kind], currency, locale)} (default)`);
  }
  return [...own, ...defaultAmounts].join(", ");
}
