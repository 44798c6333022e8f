import { readCharges } from "../charges/charge.sql.ts";
import type { Charge } from "../charges/charge.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import { openCharges } from "../charges/open-charges.sql.ts";
import { type Settlement, settleCharges } from "../charges/settle-charges.sql.ts";
import { openSessions } from "../checkout-sessions/checkout-session.sql.ts";
import type { SessionDeps } from "../checkout-sessions/session-deps.ts";
import type { Database } from "../database/database.ts";
import { groupCommit } from "../database/group-commit.ts";
import { pinnedPlans } from "../database/pinned-plans.ts";
import type { Tx } from "../database/sql.ts";
import type { Meters, SettledCharge } from "../monitoring/meters.ts";
import type { Deliveries } from "../webhooks/deliver.ts";

/** The writes of the payment's path, each kind in commits that its payments share, and what is read most. */
export type Batches = Pick<ChargeDeps, "openCharge" | "settleCharge" | "readCharge"> &
  Pick<SessionDeps, "openSession"> & {
    /** Waits for what is being written. */
    close(): Promise<void>;
  };

/** Two connections for each kind of batch, and 64 rows: measured in docs/decisions/0003-group-commit.md. */
const size = { connections: 2, maxBatch: 64, maxQueue: 4_096 };

export function openBatches(
  database: Database,
  deliveries: Pick<Deliveries, "lease" | "take">,
  meters?: Meters,
): Batches {
  const connect = () => database.connect(pinnedPlans);
  const opening = groupCommit({ connect, ...size, write: counted("open charges", openCharges) });
  const settling = groupCommit({
    connect,
    ...size,
    write: counted("settle charges", (tx, settlements: Settlement[]) =>
      settleCharges(tx, settlements, deliveries.lease()),
    ),
  });
  const reading = groupCommit({ connect, ...size, write: counted("read charges", readCharges) });
  const openingSessions = groupCommit({
    connect,
    ...size,
    connections: 1,
    write: counted("open sessions", openSessions),
  });

  /** The same writer; how many shared its commit and how long that took is counted. */
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
    openCharge: opening,
    async settleCharge(settlement) {
      const settled = await settling(settlement);
      const { owner, version } = settlement.charge;
      if (settled.recorded) meters?.settled(moveOf(settlement.charge));
      // What is settled at its first move has had no event before.
      deliveries.take(owner, settled.deliveries, version === 2);
      return settled.recorded;
    },
    readCharge: reading,
    openSession: openingSessions,
    async close() {
      const all = [opening, settling, reading, openingSessions];
      await Promise.all(all.map((batches) => batches.close()));
    },
  };
}

function moveOf(charge: Charge): SettledCharge {
  const { owner, status } = charge;
  return {
    livemode: owner.livemode,
    status: (status === "processing" && charge.pendingReason) || status,
    declineCode: status === "failed" ? charge.failure.declineCode : "",
  };
}
