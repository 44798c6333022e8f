import type { Meters, SettledCharge } from "../insights/monitoring/meters.ts";
import { readCharges } from "../payments/charges/charge.sql.ts";
import type { Charge } from "../payments/charges/charge.ts";
import type { ChargeDeps } from "../payments/charges/charge-deps.ts";
import { openCharges } from "../payments/charges/open-charges.sql.ts";
import { type Settlement, settleCharges } from "../payments/charges/settle-charges.sql.ts";
import { openSessions } from "../payments/checkout/checkout-session.sql.ts";
import type { SessionDeps } from "../payments/checkout/session-deps.ts";
import type { Database } from "../platform/database/database.ts";
import { groupCommit } from "../platform/database/group-commit.ts";
import { pinnedPlans } from "../platform/database/pinned-plans.ts";
import type { Tx } from "../platform/database/sql.ts";
import type { Deliveries } from "../webhooks/delivery/deliver.ts";

/** The group-committed writes of the payment path, and its most frequent read. */
export type Batches = Pick<ChargeDeps, "openCharge" | "settleCharge" | "readCharge"> &
  Pick<SessionDeps, "openSession"> & {
    /** Waits for pending writes. */
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
    openCharge: opening,
    async settleCharge(settlement) {
      const settled = await settling(settlement);
      const { owner, version } = settlement.charge;
      if (settled.recorded) meters?.settled(moveOf(settlement.charge));
      // A charge at version 2 has just made its first transition, so this is its first event.
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
