import type {
  BalanceTransaction as BalanceTransactionObject,
  BalanceTransactionType,
} from "@florin/contract/balance.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type BalanceTransactionId, createdAt, type Id } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";

/** A change of the merchant's balance, as the API shows it. Each change corresponds to one ledger entry. */
export type BalanceTransaction = {
  readonly id: BalanceTransactionId;
  readonly scope: Scope;
  readonly type: BalanceTransactionType;
  readonly amountMinor: number;
  readonly feeMinor: number;
  readonly currency: Currency;
  /** The charge, refund, dispute, payout or settlement that changed the balance. */
  readonly source: SourceId;
  /** Null for a live payment that its acquirer has not settled. */
  readonly availableOn: Date | null;
};

/** The ID prefix of the source object for each type. */
export const sourcePrefixes = {
  charge: "ch",
  charge_failure: "ch",
  refund: "re",
  refund_failure: "re",
  dispute: "dp",
  dispute_reversal: "dp",
  payout: "po",
  payout_failure: "po",
  acquirer_fee: "stl",
  acquirer_fee_return: "stl",
  conversion_out: "stl",
  conversion_in: "stl",
} as const satisfies Record<BalanceTransactionType, string>;

export type SourceId = Id<(typeof sourcePrefixes)[BalanceTransactionType]>;

export function balanceTransactionObject(
  transaction: BalanceTransaction,
  now: Date,
): BalanceTransactionObject {
  const { id, scope, type, amountMinor, feeMinor, currency, source, availableOn } = transaction;
  return {
    id,
    object: "balance_transaction",
    livemode: scope.livemode,
    created: unixSeconds(createdAt(id)),
    type,
    amount: amountMinor,
    fee: feeMinor,
    net: amountMinor - feeMinor,
    currency,
    source,
    status: availableOn === null || availableOn > now ? "pending" : "available",
    available_on: availableOn && unixSeconds(availableOn),
  };
}
