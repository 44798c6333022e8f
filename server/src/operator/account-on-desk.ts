import type { OperatorAccount, Terms } from "@florin/contract/operator.ts";
import type { Account } from "../accounts/account.ts";
import { canCharge, type IsConnected } from "../accounts/charging.ts";
import { ApiError } from "../primitives/api-error.ts";
import { unixSeconds } from "../primitives/clock.ts";
import { createdAt } from "../primitives/ids.ts";
import { currencies, isCurrency } from "../primitives/money.ts";

/** Returns the account as operators see it, with its terms and whether it can charge in live mode. */
export function accountOnDesk(account: Account, isConnected: IsConnected): OperatorAccount {
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

export function termsOf({ pricing, disputeFeeMinor, limits }: Account): Terms {
  return {
    fee_basis_points: pricing.basisPoints,
    fee_fixed: pricing.fixedMinor,
    dispute_fee: disputeFeeMinor,
    requests_per_second: limits.requestsPerSecond,
    largest_charges: { ...limits.largestCharges },
  };
}

/** The account with other terms. What was charged before keeps the price it was charged at. */
export function withTerms(account: Account, terms: Terms): Account {
  const unknown = Object.keys(terms.largest_charges).find((currency) => !isCurrency(currency));
  if (unknown) {
    throw new ApiError(
      "currency_unsupported",
      `'${unknown}' is not a currency that can be charged; ${currencies.length} are, such as 'usd'.`,
      { param: "terms.largest_charges" },
    );
  }
  return {
    ...account,
    pricing: { basisPoints: terms.fee_basis_points, fixedMinor: terms.fee_fixed },
    disputeFeeMinor: terms.dispute_fee,
    limits: {
      requestsPerSecond: terms.requests_per_second,
      largestCharges: terms.largest_charges,
    },
  };
}
