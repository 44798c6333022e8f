import { LRUCache } from "lru-cache";
import type { AccountId, AssignmentId, ChargeId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Charge } from "./charge.ts";

/** The outcome of a charge's authorization, with the facts that the acquirer's notification repeats. */
export type RecordedOutcome = {
  readonly account: AccountId;
  readonly assignmentId: AssignmentId | null;
  readonly price: Money;
  readonly result: "approved" | "declined";
  readonly acquirerReference: string | null;
};

/**
 * The outcomes of live charges that this process has recorded most recently. The acquirer's notification usually
 * arrives within seconds and only repeats the outcome. An outcome in memory shows this without a query.
 */
export type RecordedOutcomes = {
  add(charge: Charge): void;
  /** Returns and removes the outcome of the charge. Returns null if this process has not recorded it recently. */
  take(id: ChargeId): RecordedOutcome | null;
};

/** An outcome takes a few hundred bytes. The oldest outcomes are dropped first. */
const maxOutcomes = 10_000;

export function createRecordedOutcomes(): RecordedOutcomes {
  const outcomes = new LRUCache<ChargeId, RecordedOutcome>({ max: maxOutcomes });
  return {
    add(charge) {
      const outcome = charge.scope.livemode ? outcomeOf(charge) : null;
      if (outcome) outcomes.set(charge.id, outcome);
    },
    take(id) {
      const outcome = outcomes.get(id) ?? null;
      outcomes.delete(id);
      return outcome;
    },
  };
}

/** Returns the outcome of a charge, or null if it has none that the acquirer has confirmed. */
export function outcomeOf(charge: Charge): RecordedOutcome | null {
  const { scope, assignmentId, price, acquirerReference } = charge;
  const facts = { account: scope.account, assignmentId, price, acquirerReference };
  switch (charge.status) {
    case "succeeded":
    case "authorized":
      return { ...facts, result: "approved" };
    case "failed":
      return charge.unconfirmed ? null : { ...facts, result: "declined" };
    default:
      return null;
  }
}
