import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { sendQuery } from "./send-query.ts";
import { isUnavailable } from "./unavailable.ts";

/**
 * Runs reads on a replica if it has everything that was committed before the read began, and otherwise on the primary.
 *
 * Before each read, the primary returns the position of its log. Reads that wait at the same time share this statement.
 * The replica must have replayed the log up to this position. A caller therefore reads its own writes and those of
 * every other process, without a record of who has written. A replica that lags, does not respond or fails serves no
 * reads.
 *
 * A replica that has replayed more than the primary has written follows another primary, for example one that was
 * replaced by a restored backup. Its result is discarded.
 */
export type Replica = {
  /** Returns the result of `work` on the replica, or on the primary. `work` must be repeatable. */
  read<Result>(
    work: (client: pg.PoolClient) => Promise<Result>,
    onPrimary: () => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
};

/**
 * The delays between checks of the replica's position, in ms. Their sum is less than the duration of most reads for
 * which a replica is worthwhile.
 */
const replayWaitsMs = [2, 5, 10, 20, 40];

/** The time limit of the replica's response to a check. */
const checkTimeoutMs = 250;

/** The time for which the replica is not used after it has failed or lagged. */
const pauseMs = 2_000;

export function createReplica(pool: pg.Pool, readPosition: () => Promise<string>): Replica {
  let pausedUntil = Number.NEGATIVE_INFINITY;
  const pause = (): void => {
    pausedUntil = performance.now() + pauseMs;
  };
  const positionNow = shareNext(readPosition);

  /**
   * Returns a connection to the replica and the position that the replica has replayed, or null if the replica has not
   * replayed `position` in time.
   */
  async function connectionAt(
    position: bigint,
  ): Promise<{ client: pg.PoolClient; replayed: bigint } | null> {
    const client = await pool.connect();
    try {
      for (const waitMs of [0, ...replayWaitsMs]) {
        if (waitMs > 0) await sleep(waitMs);
        const { rows } = await sendQuery(client, { text: replayedText }, checkTimeoutMs);
        const { replayed } = rows[0] as { replayed: string | null };
        if (replayed !== null && logPosition(replayed) >= position) {
          return { client, replayed: logPosition(replayed) };
        }
      }
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
    client.release();
    return null;
  }

  /** Returns whether the primary has not yet written the position. True if the primary does not respond. */
  const isUnwritten = (position: bigint): Promise<boolean> =>
    positionNow().then(
      (written) => logPosition(written) < position,
      () => true,
    );

  return {
    async read(work, onPrimary) {
      if (performance.now() < pausedUntil) return onPrimary();
      const position = logPosition(await positionNow());
      const connection = await connectionAt(position).catch(() => null);
      if (!connection) {
        pause();
        return onPrimary();
      }
      const { client, replayed } = connection;
      // This statement runs on the primary while the replica reads.
      const isAhead = replayed > position ? isUnwritten(replayed) : Promise.resolve(false);
      let failed: Error | undefined;
      try {
        const result = await work(client);
        if (!(await isAhead)) return result;
        pause();
      } catch (error) {
        failed = error as Error;
        if (!isUnavailable(error) && !isRecoveryConflict(error) && !(await isAhead)) throw error;
        pause();
      } finally {
        client.release(failed);
      }
      return onPrimary();
    },
    close: () => pool.end(),
  };
}

/**
 * Requires a server in recovery. Any other server is the primary, or a promoted standby that may lack commits of the
 * primary.
 */
const replayedText = `
  select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as replayed`;

/** Converts a log position in the form of Postgres, such as `16/B374D848`, to a number. */
export function logPosition(text: string): bigint {
  const [high, low] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** Returns whether a standby canceled the statement because it conflicts with the replay of the log. */
function isRecoveryConflict(error: unknown): boolean {
  return (error as { code?: unknown }).code === "40001";
}

/**
 * Returns a function that shares one call among all callers that wait for it. A call that has already started is not
 * shared, because its result may be older than the caller's last write.
 */
function shareNext<Value>(call: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<unknown> | null = null;
  let next: Promise<Value> | null = null;
  const start = (): Promise<Value> => {
    next = null;
    const started = call();
    const settled = started
      .catch(() => undefined)
      .finally(() => {
        if (running === settled) running = null;
      });
    running = settled;
    return started;
  };
  return () => {
    if (!running) return start();
    next ??= running.then(start);
    return next;
  };
}
