import { readCharges } from "../payments/charges/charge.sql.ts";
import type { ChargeDeps } from "../payments/charges/charge-deps.ts";
import {
  type BatchedCommits,
  type BatchMeters,
  batchSize,
  connectBatchedCommits,
  measured,
} from "../payments/commit/batched-commits.ts";
import type { Database } from "../platform/database/database.ts";
import { groupCommit } from "../platform/database/group-commit.ts";
import { pinnedPlans } from "../platform/database/pinned-plans.ts";
import type { Deliveries } from "../webhooks/delivery/delivery-worker.ts";

/** The group-committed writes of the payment path, and its most frequent read. */
export type Batches = Pick<ChargeDeps, "readCharge"> & {
  readonly commits: BatchedCommits;
  /** Waits for pending writes. */
  close(): Promise<void>;
};

export function createBatches(
  database: Database,
  deliveries: Pick<Deliveries, "lease" | "take">,
  meters?: BatchMeters,
): Batches {
  const commits = connectBatchedCommits(database, deliveries, meters);
  const reading = groupCommit({
    connect: () => database.connect(pinnedPlans),
    ...batchSize,
    write: measured(meters, "read charges", readCharges),
  });
  return {
    commits,
    readCharge: reading,
    async close() {
      await Promise.all([commits.close(), reading.close()]);
    },
  };
}
