import type { Database } from "../../platform/database/database.ts";
import { groupCommit } from "../../platform/database/group-commit.ts";
import { pinnedPlans } from "../../platform/database/pinned-plans.ts";
import { type BatchMeters, batchSize, measured } from "../commit/batched-commits.ts";
import { type ChargeKey, readCharges } from "./charge.sql.ts";
import type { Charge } from "./charge.ts";

/** The most frequent reads. Those that arrive at the same time share a statement. */
export type BatchedReads = ReturnType<typeof connectBatchedReads>;

// Without a declared result type, so that "go to definition" on a method leads to its statement.
export function connectBatchedReads(database: Database, meters?: BatchMeters) {
  const charges = groupCommit({
    connect: () => database.connect(pinnedPlans),
    ...batchSize,
    write: measured(meters, "read charges", readCharges),
  });

  return {
    /** Reads a charge. Returns null for a missing one (`readCharges`). */
    readCharge(key: ChargeKey): Promise<Charge | null> {
      return charges(key);
    },

    /** Waits for pending reads. */
    close(): Promise<void> {
      return charges.close();
    },
  };
}
