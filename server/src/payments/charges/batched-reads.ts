import type { Database } from "../../platform/database/database.ts";
import { pinnedPlans } from "../../platform/database/pinned-plans.ts";
import { type BatchObservers, batchSize, observedGroupCommit } from "../commit/batched-commits.ts";
import { type ChargeKey, readCharges } from "./charge.sql.ts";
import type { Charge } from "./charge.ts";

/** The most frequent reads. Concurrent calls of the same method share one statement. */
export type BatchedReads = ReturnType<typeof connectBatchedReads>;

// The return type is inferred, so that "go to definition" on a method opens its statement.
export function connectBatchedReads(database: Database, observers: BatchObservers = {}) {
  const charges = observedGroupCommit(
    "read charges",
    { connect: () => database.connect(pinnedPlans), ...batchSize, write: readCharges },
    observers,
  );

  return {
    /** Returns the charge, or null if it does not exist (`readCharges`). */
    readCharge(key: ChargeKey): Promise<Charge | null> {
      return charges(key);
    },

    /** Waits for pending reads to finish. */
    close(): Promise<void> {
      return charges.close();
    },
  };
}
