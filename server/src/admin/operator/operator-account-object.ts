import { type CurrencyAmounts, defaultAmounts } from "@florin/contract/currency.ts";
import type {
  DefaultTerms,
  OperatorAccount,
  Terms,
  TermsAmounts,
} from "@florin/contract/operator.ts";
import { ApiError } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt } from "../../core/ids.ts";
import { type Currency, isCurrency } from "../../core/money.ts";
import type { Account } from "../../identity/accounts/account.ts";
import { canCharge, type IsConnected } from "../../identity/accounts/charging.ts";

/** Returns the account as operators see it, with its terms and whether it can charge in live mode. */
export function operatorAccountObject(account: Account, isConnected: IsConnected): OperatorAccount {
  return {
    id: account.id,
    name: account.name,
    country: account.country,
    created: unixSeconds(createdAt(account.id)),
    status: account.status,
    application_status: account.applicationStatus,
    live_charges_enabled: canCharge(account, true, isConnected),
    approved_at: account.approvedAt && unixSeconds(account.approvedAt),
    terms: termsOf(account),
  };
}

export function termsOf({ feeBasisPoints, amounts, limits }: Account): Terms {
  const entries = Object.entries(amounts).map(([currency, own]) => [currency, shownAmounts(own)]);
  return {
    fee_basis_points: feeBasisPoints,
    requests_per_second: limits.requestsPerSecond,
    amounts: Object.fromEntries(entries),
  };
}

/**
 * Returns the service's default amounts for each currency in which the account has its own amounts. US dollars are
 * always included as an example.
 */
export function defaultTermsOf(
  { amounts }: Account,
  requestsPerSecond: number | null,
): DefaultTerms {
  const shown = new Set<Currency>(["usd", ...(Object.keys(amounts) as Currency[])]);
  const entries = [...shown].map((currency) => [currency, shownAmounts(defaultAmounts[currency])]);
  return { requests_per_second: requestsPerSecond, amounts: Object.fromEntries(entries) };
}

/** Returns the account with new terms. They apply to new charges only. */
export function withTerms(account: Account, terms: Terms): Account {
  const amounts: Partial<Record<Currency, Partial<CurrencyAmounts>>> = {};
  for (const [currency, set] of Object.entries(terms.amounts)) {
    if (!isCurrency(currency)) {
      throw new ApiError(
        "currency_unsupported",
        `\`terms.amounts\` contains the unsupported currency '${currency}'. Send ISO 4217 codes in lower case, such as 'usd'.`,
        { param: "terms.amounts" },
      );
    }
    const own = readAmounts(set);
    rejectCrossedBounds(currency, { ...defaultAmounts[currency], ...own });
    if (Object.keys(own).length > 0) amounts[currency] = own;
  }
  return {
    ...account,
    feeBasisPoints: terms.fee_basis_points,
    amounts,
    limits: { requestsPerSecond: terms.requests_per_second },
  };
}

/** Rejects a minimum above the maximum, because no amount could satisfy both limits. */
function rejectCrossedBounds(currency: Currency, amounts: CurrencyAmounts): void {
  for (const noun of ["Charge", "Payout"] as const) {
    const min = amounts[`min${noun}`];
    const max = amounts[`max${noun}`];
    if (min <= max) continue;
    throw new ApiError(
      "parameter_invalid",
      `\`terms.amounts.${currency}\` must have a \`min_${noun.toLowerCase()}\` that is at most its \`max_${noun.toLowerCase()}\`. Got ${min} and ${max}.`,
      { param: `terms.amounts.${currency}` },
    );
  }
}

const names = {
  fixedFee: "fixed_fee",
  disputeFee: "dispute_fee",
  minCharge: "min_charge",
  maxCharge: "max_charge",
  minPayout: "min_payout",
  maxPayout: "max_payout",
} as const satisfies Record<keyof CurrencyAmounts, keyof TermsAmounts>;

const kinds = Object.keys(names) as (keyof CurrencyAmounts)[];

function shownAmounts(amounts: Partial<CurrencyAmounts>): TermsAmounts {
  const set = kinds.filter((kind) => amounts[kind] !== undefined);
  return Object.fromEntries(set.map((kind) => [names[kind], amounts[kind]]));
}

function readAmounts(amounts: TermsAmounts): Partial<CurrencyAmounts> {
  const set = kinds.filter((kind) => amounts[names[kind]] !== undefined);
  return Object.fromEntries(set.map((kind) => [kind, amounts[names[kind]]]));
}
