import {
  type BalanceTransactionId,
  type ConnectionId,
  newId,
  type SettlementId,
} from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Entry } from "../ledger/ledger.sql.ts";
import { type Transfer, transfer } from "../ledger/posting-rules.ts";

/** The amounts of an account in a batch, in one currency. */
export type Share = {
  /** Payments, after our fees, that became available for payout. */
  readonly settled: number;
  /** The acquirer's fees. */
  readonly fees: number;
  /** The change of the balance by conversions to another currency. */
  readonly converted: number;
  /** The amount that the acquirer owes for the lines of the batch. */
  readonly net: number;
  /** The account's part of the batch's payout. */
  readonly paid: number;
};

export const noShare: Share = { settled: 0, fees: 0, converted: 0, net: 0, paid: 0 };

/**
 * An account's posted share of a batch. For a corrected report, it contains only the differences from the amounts
 * already posted.
 */
export type Settlement = Share & {
  readonly id: SettlementId;
  readonly scope: Scope;
  readonly connection: ConnectionId;
  readonly merchantAccount: string;
  readonly batch: string;
  readonly currency: Currency;
  /** 1 for the first report of the batch. Each correction adds 1. */
  readonly part: number;
  readonly feeEntry: BalanceTransactionId | null;
  readonly conversionEntry: BalanceTransactionId | null;
};

/** Returns the difference between `target` and `posted`, or null if everything is posted. */
export function unposted(target: Share, posted: Share): Share | null {
  const rest: Share = {
    settled: target.settled - posted.settled,
    fees: target.fees - posted.fees,
    converted: target.converted - posted.converted,
    net: target.net - posted.net,
    paid: target.paid - posted.paid,
  };
  return Object.values(rest).every((amount) => amount === 0) ? null : rest;
}

/** Returns the settlement with its ledger entries. */
export function postSettlement(
  params: Omit<Settlement, "id" | "feeEntry" | "conversionEntry">,
  now: Date,
): { settlement: Settlement; entries: readonly Entry[] } {
  const id = newId("stl", now);
  const { currency, settled, fees, converted } = params;
  const entryOf = (transfers: readonly Transfer[]): Entry | null =>
    transfers.length === 0 ? null : { id: newId("txn", now), currency, source: id, transfers };
  const release = entryOf(
    settled > 0
      ? [transfer("pending_debit", settled), transfer("available_credit", settled)]
      : settled < 0
        ? [transfer("available_debit", -settled), transfer("pending_credit", -settled)]
        : [],
  );
  const fee = entryOf(signed(fees, "acquirer_fee", "acquirer_fee_return"));
  const conversion = entryOf(signed(converted, "conversion_in", "conversion_out"));
  return {
    settlement: {
      ...params,
      id,
      feeEntry: fee?.id ?? null,
      conversionEntry: conversion?.id ?? null,
    },
    entries: [release, fee, conversion].filter((entry) => entry !== null),
  };
}

function signed(
  amount: number,
  positive: Transfer["kind"],
  negative: Transfer["kind"],
): readonly Transfer[] {
  if (amount === 0) return [];
  return [amount > 0 ? transfer(positive, amount) : transfer(negative, -amount)];
}

/**
 * Divides a payout between the accounts to which the acquirer owes money. An account gets what the acquirer owes it. If
 * the payout is smaller than the sum of these amounts, for example because of the batch's own fees, it is divided in
 * proportion to them. If the payout is larger, the rest belongs to no account.
 */
export function dividePayout(paidMinor: number, owed: readonly number[]): number[] {
  const positive = owed.map((amount) => Math.max(0, amount));
  const sum = positive.reduce((total, amount) => total + amount, 0);
  if (sum <= paidMinor) return positive;
  const shares = positive.map((amount) =>
    Number((BigInt(amount) * BigInt(paidMinor)) / BigInt(sum)),
  );
  let rest = paidMinor - shares.reduce((total, amount) => total + amount, 0);
  // The division rounds down, so `rest` is less than one minor unit per account.
  return shares.map((share, index) => {
    const isRaised = rest > 0 && share < (positive[index] as number);
    if (isRaised) rest -= 1;
    return isRaised ? share + 1 : share;
  });
}

const firstRetryMs = 5_000;
const maxRetryMs = 60 * 60_000;

/** Returns the time to the next attempt to apply a report, given the number of attempts that failed before. */
export function retryDelayMs(failures: number): number {
  return Math.min(maxRetryMs, firstRetryMs * 2 ** failures);
}
