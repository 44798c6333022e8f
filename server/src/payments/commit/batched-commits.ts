import type { Database } from "../../platform/database/database.ts";
import { groupCommit } from "../../platform/database/group-commit.ts";
import { pinnedPlans } from "../../platform/database/pinned-plans.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { Deliveries } from "../../webhooks/delivery/delivery-worker.ts";
import { commitTransitions } from "./commit-transitions.sql.ts";
import { insertCharges, insertSessions, type NewCharge, type NewSession } from "./intents.sql.ts";
import type { Transition } from "./transition.ts";

/** Writes charges, their outcomes and checkout sessions. Concurrent calls of the same method share one statement. */
export type BatchedCommits = ReturnType<typeof connectBatchedCommits>;

export type BatchMeters = {
  /** Counts the outcome of a charge after its commit. */
  finalized(charge: { livemode: boolean; status: string; declineCode: string }): void;
  /** Records the number of rows in a batch and the duration of its transaction. */
  wroteBatch(kind: string, rows: number, seconds: number): void;
};

/**
 * Two connections for each kind of batch and at most 64 rows per batch, as measured in
 * docs/decisions/0003-group-commit.md.
 */
export const batchSize = { connections: 2, maxBatch: 64, maxQueue: 4_096 };

// The return type is inferred, so that "go to definition" on a method opens its statement.
export function connectBatchedCommits(
  database: Database,
  deliveries: Pick<Deliveries, "lease" | "take">,
  meters?: BatchMeters,
) {
  const connect = () => database.connect(pinnedPlans);
  const charges = groupCommit({
    connect,
    ...batchSize,
    write: measured(meters, "insert charges", insertCharges),
  });
  const outcomes = groupCommit({
    connect,
    ...batchSize,
    write: measured(meters, "finalize charges", commitOutcomes),
  });
  const sessions = groupCommit({
    connect,
    ...batchSize,
    connections: 1,
    write: measured(meters, "insert sessions", insertSessions),
  });

  function commitOutcomes(tx: Tx, transitions: Transition<"chargeOutcome">[]) {
    return commitTransitions(tx, transitions, deliveries.lease());
  }

  return {
    /** Inserts the intent of a charge. Returns whether it was inserted (`insertCharges`). */
    insertCharge(newCharge: NewCharge): Promise<boolean> {
      return charges(newCharge);
    },

    /** Commits the outcome of a charge. Returns whether it was recorded (`commitTransitions`). */
    async commitCharge(transition: Transition<"chargeOutcome">): Promise<boolean> {
      const { recorded, deliveries: inserted } = await outcomes(transition);
      const { scope, change } = transition;
      if (recorded && meters) countOutcome(meters, transition);
      // The first transition writes version 2, so its events are the first about the charge.
      deliveries.take(scope, inserted, change.version === 2);
      return recorded;
    },

    /** Inserts a session. Returns whether its idempotency key was free (`insertSessions`). */
    insertSession(newSession: NewSession): Promise<boolean> {
      return sessions(newSession);
    },

    /** Waits for pending writes to finish. */
    async close(): Promise<void> {
      await Promise.all([charges.close(), outcomes.close(), sessions.close()]);
    },
  };
}

/** Wraps a batch writer so that it reports the number of rows and the duration of each batch. */
export function measured<Item, Result>(
  meters: BatchMeters | undefined,
  kind: string,
  write: (tx: Tx, items: Item[]) => Promise<Result[]>,
): typeof write {
  if (!meters) return write;
  return async (tx, items) => {
    const began = performance.now();
    const results = await write(tx, items);
    meters.wroteBatch(kind, items.length, (performance.now() - began) / 1000);
    return results;
  };
}

function countOutcome(meters: BatchMeters, { scope, change }: Transition<"chargeOutcome">): void {
  const { status, pending_reason, decline_code } = change.row;
  meters.finalized({
    livemode: scope.livemode,
    status: pending_reason ?? (status as string),
    declineCode: decline_code ?? "",
  });
}
