import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { groupCommit } from "../database/group-commit.ts";
import { recordAttempts } from "./delivery.sql.ts";
import type { AttemptRecord } from "./delivery.ts";
import type { DeliveryLog } from "./delivery-deps.ts";

/** Writes down what attempts met, many at a time. */
export type Recorder = {
  /** Resolves when it is written, or given up; nobody need wait for it. */
  keep(record: AttemptRecord): Promise<void>;
  /** Records on their way. */
  pending(): number;
  close(): Promise<void>;
};

const firstPauseMs = 50;
const longestPauseMs = 1_000;

/** By then another worker has taken the delivery over, and the fence refuses the record. */
const patienceMs = 60_000;

/**
 * An outcome is not dropped because Postgres restarts at this moment: what was not written down is sent again, and the
 * merchant gets it twice.
 */
export function openRecorder(
  connect: () => Promise<pg.Client>,
  processNumber: () => number,
  log: Pick<DeliveryLog, "workFailed">,
): Recorder {
  const write = groupCommit<AttemptRecord, boolean>({
    connect,
    // Two, so that an outcome waits for one commit at most: what a kill finds unwritten is sent twice.
    connections: 2,
    maxBatch: 512,
    maxQueue: 50_000,
    write: (tx, records) => recordAttempts(tx, processNumber(), records),
  });
  const keeping = new Set<Promise<void>>();
  let closing = false;

  async function writeThrough(record: AttemptRecord): Promise<void> {
    const giveUpAt = performance.now() + patienceMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        await write(record);
        return;
      } catch (error) {
        if (closing || performance.now() > giveUpAt) {
          log.workFailed("webhook attempt record", error);
          return;
        }
        await sleep(pauseMs);
      }
    }
  }

  return {
    keep(record) {
      const kept = writeThrough(record);
      keeping.add(kept);
      return kept.finally(() => keeping.delete(kept));
    },
    pending: () => keeping.size,
    async close() {
      closing = true;
      await Promise.all(keeping);
      await write.close();
    },
  };
}
