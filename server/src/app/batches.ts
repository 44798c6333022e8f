import type { FinalizedCharge, Meters } from "../insights/monitoring/process-metrics.ts";
import { readCharges } from "../payments/charges/charge.sql.ts";
import type { ChargeDeps } from "../payments/charges/charge-deps.ts";
import type { SessionDeps } from "../payments/checkout/session-deps.ts";
import { commitTransitions } from "../payments/commit/commit-transitions.sql.ts";
import { insertCharges, insertSessions } from "../payments/commit/intents.sql.ts";
import type { Transition } from "../payments/commit/transition.ts";
import type { Database } from "../platform/database/database.ts";
import { groupCommit } from "../platform/database/group-commit.ts";
import { pinnedPlans } from "../platform/database/pinned-plans.ts";
import type { Tx } from "../platform/database/sql.ts";
import type { Deliveries } from "../webhooks/delivery/delivery-worker.ts";

/** The group-committed writes of the payment path, and its most frequent read. */
export type Batches = Pick<ChargeDeps, "insertCharge" | "commitCharge" | "readCharge"> &
  Pick<SessionDeps, "insertSession"> & {
    /** Waits for pending writes. */
    close(): Promise<void>;
  };

/** Two connections for each kind of batch, and 64 rows: measured in docs/decisions/0003-group-commit.md. */
const size = { connections: 2, maxBatch: 64, maxQueue: 4_096 };

export function createBatches(
  database: Database,
  deliveries: Pick<Deliveries, "lease" | "take">,
  meters?: Meters,
): Batches {
  const connect = () => database.connect(pinnedPlans);
  const inserting = groupCommit({
    connect,
    ...size,
    write: counted("insert charges", insertCharges),
  });
  const finalizing = groupCommit({
    connect,
    ...size,
    write: counted("finalize charges", (tx, transitions: Transition<"chargeOutcome">[]) =>
      commitTransitions(tx, transitions, deliveries.lease()),
    ),
  });
  const reading = groupCommit({ connect, ...size, write: counted("read charges", readCharges) });
  const insertingSessions = groupCommit({
    connect,
    ...size,
    connections: 1,
    write: counted("insert sessions", insertSessions),
  });

  /** Returns the same writer, with metrics of the rows per commit and its duration. */
  function counted<Item, Result>(
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

  return {
    insertCharge: inserting,
    async commitCharge(transition) {
      const { recorded, deliveries: inserted } = await finalizing(transition);
      const { owner, change } = transition;
      if (recorded) meters?.finalized(statusOf(transition));
      // A charge at version 2 has just made its first transition, so this is its first event.
      deliveries.take(owner, inserted, change.version === 2);
      return recorded;
    },
    readCharge: reading,
    insertSession: insertingSessions,
    async close() {
      const all = [inserting, finalizing, reading, insertingSessions];
      await Promise.all(all.map((batches) => batches.close()));
    },
  };
}

function statusOf({ owner, change }: Transition<"chargeOutcome">): FinalizedCharge {
  const { status, pending_reason, decline_code } = change.row;
  return {
    livemode: owner.livemode,
    status: pending_reason ?? (status as string),
    declineCode: decline_code ?? "",
  };
}
