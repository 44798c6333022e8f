import type { Payout as PayoutObject, PayoutStatus } from "@florin/contract/balance.ts";
import type { Entry } from "../ledger/ledger.sql.ts";
import { transfer } from "../ledger/recipes.ts";
import { unixSeconds } from "../primitives/clock.ts";
import { type BalanceTransactionId, createdAt, newId, type PayoutId } from "../primitives/ids.ts";
import type { Money } from "../primitives/money.ts";
import type { Moves } from "../primitives/moves.ts";
import type { Owner } from "../primitives/owner.ts";
import { unreachable } from "../primitives/unreachable.ts";
import type { PayoutAnswer } from "../processors/processor.ts";

/** Money on its way to a merchant's bank account (contract §5). */
export type Payout = {
  readonly id: PayoutId;
  readonly owner: Owner;
  readonly version: number;
  readonly price: Money;
  readonly status: PayoutStatus;
  /** The day that the schedule made it for, as `2026-01-31`; null when somebody asked for it. */
  readonly day: string | null;
  /** Counts the payouts that one day's money was split into, from 1. */
  readonly part: number;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly arrivesAt: Date;
  /** The entry that brought the money back; only where it failed. */
  readonly failureEntry: BalanceTransactionId | null;
};

/** Where a payout may go. A bank that is fast is done when it is asked first. */
export const payoutMoves: Moves<PayoutStatus> = {
  pending: {
    in_transit: "the bank has it",
    paid: "it has arrived",
    failed: "the bank sent it back",
  },
  in_transit: { paid: "it has arrived", failed: "the bank sent it back" },
  paid: {},
  failed: {},
};

/** How long a bank takes, as long as it has not said. */
const usualTransferMs = 24 * 60 * 60 * 1000;

/** How long to wait before the bank is asked again. */
export const askAgainMs = 30_000;

/** The entry that took the money has the payout's own letters, so it cannot be taken twice. */
function entryOf(id: PayoutId): BalanceTransactionId {
  return `txn_${id.slice("po_".length)}`;
}

/** A payout as it begins, and what it takes out of the balance. */
export function beginPayout(
  facts: Pick<Payout, "owner" | "price" | "day" | "part" | "description" | "metadata">,
  now: Date,
): { payout: Payout; entry: Entry } {
  const id = newId("po", now);
  const arrivesAt = new Date(now.getTime() + usualTransferMs);
  const payout: Payout = {
    ...facts,
    id,
    version: 1,
    status: "pending",
    arrivesAt,
    failureEntry: null,
  };
  const { amountMinor } = facts.price;
  return { payout, entry: entryFor(payout, entryOf(id), transfer("payout", amountMinor)) };
}

export type PayoutMove = {
  readonly payout: Payout;
  readonly entry: Entry | null;
  readonly event: "payout.paid" | "payout.failed" | null;
};

/** What the bank's word makes of a payout; null when it is no news. */
export function hearPayout(payout: Payout, answer: PayoutAnswer, now: Date): PayoutMove | null {
  const next = { ...payout, version: payout.version + 1 };
  const { amountMinor } = payout.price;
  switch (answer.kind) {
    case "unknown":
      return null;
    case "in_transit":
      if (payout.status !== "pending") return null;
      return {
        payout: { ...next, status: "in_transit", arrivesAt: answer.arrivesAt },
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
      return unreachable(answer);
  }
}

function entryFor({ id, price }: Payout, entry: Entry["id"], moved: Entry["transfers"][0]): Entry {
  return { id: entry, currency: price.currency, source: id, transfers: [moved] };
}

/** The payout as merchants see it. */
export function payoutObject(payout: Payout): PayoutObject {
  return {
    id: payout.id,
    object: "payout",
    livemode: payout.owner.livemode,
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
