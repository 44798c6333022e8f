import type { Payout as PayoutObject, PayoutStatus } from "@florin/contract/balance.ts";
import type { PayoutResponse } from "../../acquiring/processor.ts";
import { assertNever } from "../../core/assert-never.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type BalanceTransactionId, createdAt, newId, type PayoutId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Transitions } from "../../core/transitions.ts";
import type { Entry } from "../ledger/ledger.sql.ts";
import { transfer } from "../ledger/posting-rules.ts";

/** A transfer of the merchant's available balance to its bank account. */
export type Payout = {
  readonly id: PayoutId;
  readonly scope: Scope;
  readonly version: number;
  readonly price: Money;
  readonly status: PayoutStatus;
  /**
   * The day of a scheduled payout, such as `2026-01-31`. Null for a payout that the merchant requested or that a live
   * acquirer reported.
   */
  readonly day: string | null;
  /** The number of this payout among the payouts of its day and currency, starting at 1. */
  readonly part: number;
  /** For a scheduled payout, the time before which a payment must have been captured to be paid out. Null otherwise. */
  readonly capturedBefore: Date | null;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly arrivesAt: Date;
  /** For a failed payout, the balance transaction that credited the amount back. Null otherwise. */
  readonly failureEntry: BalanceTransactionId | null;
};

/** The transitions of a payout. A fast bank can complete a payout in the first call. */
export const payoutTransitions: Transitions<PayoutStatus> = {
  pending: {
    in_transit: "accepted by the bank",
    paid: "arrived",
    failed: "returned by the bank",
  },
  in_transit: { paid: "arrived", failed: "returned by the bank" },
  paid: {},
  failed: {},
};

/** The assumed duration of a bank transfer, used until the bank returns an arrival time. */
const assumedTransferMs = 24 * 60 * 60 * 1000;

/** The interval of status requests to the bank. */
export const inquiryLeaseMs = 30_000;

/**
 * Returns the ID of the balance transaction that debits the amount. It has the UUID of the payout, so that the amount
 * cannot be debited twice.
 */
function entryOf(id: PayoutId): BalanceTransactionId {
  return `txn_${id.slice("po_".length)}`;
}

/** Returns a new payout and its debit of the balance. */
export function beginPayout(
  params: Pick<
    Payout,
    "scope" | "price" | "day" | "part" | "capturedBefore" | "description" | "metadata"
  >,
  now: Date,
): { payout: Payout; entry: Entry } {
  const id = newId("po", now);
  const arrivesAt = new Date(now.getTime() + assumedTransferMs);
  const payout: Payout = {
    ...params,
    id,
    version: 1,
    status: "pending",
    arrivesAt,
    failureEntry: null,
  };
  const { amountMinor } = params.price;
  return { payout, entry: entryFor(payout, entryOf(id), transfer("payout", amountMinor)) };
}

/**
 * Returns a payout that the acquirer has sent, with the ledger entries for its debit and its arrival. The payout is
 * `paid` immediately, because no bank will confirm it.
 */
export function reportPayout(
  params: Pick<Payout, "id" | "scope" | "price" | "description"> & { readonly paidAt: Date },
  now: Date,
): { payout: Payout; entries: readonly Entry[] } {
  const { paidAt, ...fields } = params;
  const payout: Payout = {
    ...fields,
    version: 1,
    status: "paid",
    day: null,
    part: 1,
    capturedBefore: null,
    metadata: {},
    arrivesAt: paidAt,
    failureEntry: null,
  };
  const { amountMinor } = params.price;
  return {
    payout,
    entries: [
      entryFor(payout, entryOf(payout.id), transfer("payout", amountMinor)),
      entryFor(payout, newId("txn", now), transfer("payout_arrival", amountMinor)),
    ],
  };
}

export type PayoutTransition = {
  readonly payout: Payout;
  readonly entry: Entry | null;
  readonly event: "payout.paid" | "payout.failed" | null;
};

/** Applies the bank's response. Returns null if nothing changed. */
export function applyPayoutResponse(
  payout: Payout,
  response: PayoutResponse,
  now: Date,
): PayoutTransition | null {
  const next = { ...payout, version: payout.version + 1 };
  const { amountMinor } = payout.price;
  switch (response.kind) {
    case "unknown":
      return null;
    case "in_transit":
      if (payout.status !== "pending") return null;
      return {
        payout: { ...next, status: "in_transit", arrivesAt: response.arrivesAt },
        entry: null,
        event: null,
      };
    case "paid": {
      if (payout.status === "paid" || payout.status === "failed") return null;
      const arrival = transfer("payout_arrival", amountMinor);
      return {
        payout: { ...next, status: "paid", arrivesAt: now },
        entry: entryFor(payout, newId("txn", now), arrival),
        event: "payout.paid",
      };
    }
    case "failed": {
      if (payout.status === "paid" || payout.status === "failed") return null;
      const failureEntry = newId("txn", now);
      return {
        payout: { ...next, status: "failed", failureEntry },
        entry: entryFor(payout, failureEntry, transfer("payout_failure", amountMinor)),
        event: "payout.failed",
      };
    }
    default:
      return assertNever(response);
  }
}

function entryFor({ id, price }: Payout, entry: Entry["id"], moved: Entry["transfers"][0]): Entry {
  return { id: entry, currency: price.currency, source: id, transfers: [moved] };
}

/** Returns the payout as an API object. */
export function payoutObject(payout: Payout): PayoutObject {
  return {
    id: payout.id,
    object: "payout",
    livemode: payout.scope.livemode,
    created: unixSeconds(createdAt(payout.id)),
    version: payout.version,
    amount: payout.price.amountMinor,
    currency: payout.price.currency,
    status: payout.status,
    automatic: payout.day !== null,
    description: payout.description,
    failure_code: payout.status === "failed" ? "account_closed" : null,
    balance_transaction_id: entryOf(payout.id),
    failure_balance_transaction_id: payout.failureEntry,
    arrival_date: unixSeconds(payout.arrivesAt),
    metadata: payout.metadata,
  };
}
