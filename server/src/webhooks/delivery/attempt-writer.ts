import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { groupCommit } from "../../platform/database/group-commit.ts";
import { recordAttempts } from "./delivery.sql.ts";
import type { AttemptRecord } from "./delivery.ts";
import type { DeliveryLog } from "./delivery-deps.ts";

/** Records the outcomes of attempts by group commit. */
export type AttemptWriter = {
  /**
   * Writes the record, with retries. Resolves when the record is written or the retries have ended. Callers need not
   * wait for it.
   */
  write(record: AttemptRecord): Promise<void>;
  /** The number of records that are not yet written. */
  pending(): number;
  close(): Promise<void>;
};

const firstBackoffMs = 50;
const maxBackoffMs = 1_000;

/**
 * The maximum duration of the retries. Afterwards another worker may have claimed the delivery, and the fencing token
 * rejects the record.
 */
const giveUpAfterMs = 60_000;

/**
 * Retries the write when Postgres restarts. If an outcome is not recorded, the event is sent again and the merchant
 * receives it twice.
 */
export function createAttemptWriter(
  connect: () => Promise<pg.Client>,
  processNumber: () => number,
  log: Pick<DeliveryLog, "workFailed">,
): AttemptWriter {
  const write = groupCommit<AttemptRecord, boolean>({
    connect,
    // With two connections, an outcome waits for the commit of at most one earlier batch. If the server crashes, the
    // events of unwritten outcomes are sent again.
    connections: 2,
    maxBatch: 512,
    maxQueue: 50_000,
    write: (tx, records) => recordAttempts(tx, processNumber(), records),
  });
  const writing = new Set<Promise<void>>();
  let closing = false;

  async function writeThrough(record: AttemptRecord): Promise<void> {
    const giveUpAt = performance.now() + giveUpAfterMs;
    for (let backoffMs = firstBackoffMs; ; backoffMs = Math.min(backoffMs * 2, maxBackoffMs)) {
      try {
        await write(record);
        return;
      } catch (error) {
        if (closing || performance.now() > giveUpAt) {
          log.workFailed("webhook attempt record", error);
          return;
        }
        await sleep(backoffMs);
      }
    }
  }

  return {
    write(record) {
      const written = writeThrough(record);
      writing.add(written);
      return written.finally(() => writing.delete(written));
    },
    pending: () => writing.size,
    async close() {
      closing = true;
      await Promise.all(writing);
      await write.close();
    },
  };
}
