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
 * The live charges whose outcome this process is recording, and the outcomes that it has recorded most recently. The
 * acquirer's notification usually arrives within seconds and only repeats the outcome. With the outcome in memory, such
 * a notification is recognized without a query.
 */
export type RecordedOutcomes = {
  /** Adds a charge whose outcome is being recorded. Does nothing for a test charge, which has no notifications. */
  add(charge: Pick<Charge, "id" | "scope">, recorded: Promise<{ readonly charge: Charge }>): void;
  /**
   * Waits if this process is recording the outcome of the charge, and returns the recorded charge. Otherwise, and if
   * the outcome could not be recorded, returns null.
   */
  waitFor(id: ChargeId): Promise<Charge | null>;
  /** Returns and removes the outcome of the charge. Returns null if this process has not recorded it recently. */
  take(id: ChargeId): RecordedOutcome | null;
};

/** An outcome takes a few hundred bytes. The oldest outcomes are dropped first. */
const maxOutcomes = 10_000;

export function createRecordedOutcomes(): RecordedOutcomes {
  const outcomes = new LRUCache<ChargeId, RecordedOutcome>({ max: maxOutcomes });
  /**
   * V8 keeps the previous table of a map that was resized, with its values, until the next full garbage collection.
   * Each value therefore drops its promise when the outcome is recorded. Otherwise these tables would keep finished
   * charges in memory.
   */
  const running = new Map<ChargeId, { recorded: Promise<{ readonly charge: Charge }> | null }>();

  return {
    add({ id, scope }, recorded) {
      if (!scope.livemode) return;
      const entry: { recorded: typeof recorded | null } = { recorded };
      running.set(id, entry);
      const end = () => {
        entry.recorded = null;
        if (running.get(id) === entry) running.delete(id);
      };
      recorded.then(({ charge }) => {
        const outcome = outcomeOf(charge);
        if (outcome) outcomes.set(id, outcome);
        end();
      }, end);
    },
    async waitFor(id) {
      const recorded = await running.get(id)?.recorded?.catch(() => null);
      return recorded?.charge ?? null;
    },
    take(id) {
      const outcome = outcomes.get(id) ?? null;
      outcomes.delete(id);
      return outcome;
    },
  };
}

/**
 * Returns the outcome of a charge. Returns null if there is none, or if an operator ended the charge without the
 * acquirer's confirmation.
 */
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
