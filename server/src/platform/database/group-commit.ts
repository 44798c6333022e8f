import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { bindBatchTag } from "./batch-tag.ts";
import type { Tx } from "./sql.ts";
import { isDeadlock, isUnavailable } from "./unavailable.ts";

/**
 * Group commit: callers submit single items, and concurrent items share one durable write. Items that arrive while a
 * batch is in flight form the next batch. One multi-row statement writes a batch in one transaction, so that sixty
 * charges need one commit. No item waits for a timer: a batch is sent as soon as a connection is free.
 *
 * `write` gets between one and `maxBatch` items and returns one result for each, in their order. It must run one
 * statement, which is a transaction by default. The statement must be safe to repeat with the same items: when a batch
 * fails or the response to its COMMIT is lost, the items are retried one by one, so that a bad row fails only itself.
 */
export type GroupCommit<Item, Result> = {
  (item: Item): Promise<Result>;
  /** Waits for queued items and batches in flight, then closes the connections. */
  close(): Promise<void>;
};

export type GroupCommitOptions<Item, Result> = {
  readonly connect: () => Promise<pg.Client>;
  readonly connections: number;
  readonly maxBatch: number;
  /** The maximum number of waiting items. Further items are rejected immediately instead of being written too late. */
  readonly maxQueue: number;
  readonly write: (tx: Tx, items: Item[]) => Promise<Result[]>;
};

/** Thrown when the queue is full. The item was not written. */
export class QueueFull extends Error {
  override name = "QueueFull";
}

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

type Attempt<Result> =
  | { readonly kind: "written"; readonly results: readonly Result[] }
  | { readonly kind: "not_connected"; readonly error: unknown }
  | { readonly kind: "failed"; readonly error: unknown; readonly isTemporary: boolean };

/** Attempts per item. Postgres takes a second to detect a deadlock, so all attempts together take a few seconds. */
const maxAttempts = 5;

/** The backoff after attempt n is random, between zero and this time multiplied by 2^n. */
const firstBackoffMs = 10;

type Writer = { client: pg.Client | null; tx: Tx | null };

export function groupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { connect, connections, maxBatch, maxQueue, write } = options;
  let waiting: Waiting<Item, Result>[] = [];
  const idle: Writer[] = Array.from({ length: connections }, () => ({ client: null, tx: null }));
  const everyWriter = [...idle];
  let flushScheduled = false;
  let whenDrained: (() => void) | null = null;

  const commit = (item: Item): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      if (waiting.length >= maxQueue) {
        reject(new QueueFull(`the queue is full: ${waiting.length} writes are waiting`));
        return;
      }
      waiting.push({ item, resolve, reject });
      flushSoon();
    });

  /**
   * The minimum size of a batch that is sent while another is in flight. Most of the cost of a small batch is the fixed
   * cost of its statement, so a few items are cheaper in the next batch.
   */
  const minParallelBatch = Math.ceil(maxBatch / 4);
  const canSendBatch = (): boolean =>
    idle.length > 0 && waiting.length >= (idle.length === connections ? 1 : minParallelBatch);

  /**
   * Sends batches at the end of this turn of the event loop, so that they contain the items of all requests that have
   * arrived by then.
   */
  function flushSoon(): void {
    if (flushScheduled || !canSendBatch()) return;
    flushScheduled = true;
    setImmediate(() => {
      flushScheduled = false;
      while (canSendBatch()) {
        const batch = waiting.slice(0, maxBatch);
        waiting = waiting.slice(maxBatch);
        void run(idle.pop() as Writer, batch);
      }
    });
  }

  async function run(writer: Writer, batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      await commitTogether(writer, batch);
    } finally {
      idle.push(writer);
      flushSoon();
      if (whenDrained && waiting.length === 0 && idle.length === connections) whenDrained();
    }
  }

  async function commitTogether(writer: Writer, batch: Waiting<Item, Result>[]): Promise<void> {
    const [first] = batch;
    if (batch.length === 1 && first) return commitAlone(writer, first);
    const outcome = await attempt(writer, batch);
    switch (outcome.kind) {
      case "written":
        for (let index = 0; index < batch.length; index++)
          batch[index]?.resolve(outcome.results[index] as Result);
        return;
      case "not_connected":
        // The items are not retried one by one, because each retry would wait for another failed connection attempt.
        for (const entry of batch) entry.reject(outcome.error);
        return;
      case "failed":
        for (const entry of batch) await commitAlone(writer, entry);
    }
  }

  /**
   * Writes one item. Retries while Postgres is unavailable and after a deadlock.
   *
   * An immediate retry is not enough after a deadlock. On a busy machine, the retry can lock the first row again before
   * the other transaction, which waits for that row, has run. The two then deadlock again. The backoff lets the other
   * transaction run first.
   */
  async function commitAlone(writer: Writer, entry: Waiting<Item, Result>): Promise<void> {
    for (let attempts = 1; ; attempts++) {
      const outcome = await attempt(writer, [entry]);
      if (outcome.kind === "written") return entry.resolve(outcome.results[0] as Result);
      const isTemporary = outcome.kind === "failed" && outcome.isTemporary;
      if (!isTemporary || attempts === maxAttempts) return entry.reject(outcome.error);
      await sleep(randomInt(firstBackoffMs * 2 ** attempts));
    }
  }

  async function attempt(
    writer: Writer,
    batch: readonly Waiting<Item, Result>[],
  ): Promise<Attempt<Result>> {
    let tx: Tx;
    try {
      tx = await connected(writer);
    } catch (error) {
      return { kind: "not_connected", error };
    }
    try {
      const items = batch.map((entry) => entry.item);
      return { kind: "written", results: await write(tx, items) };
    } catch (error) {
      const connectionBroke = isUnavailable(error);
      // Postgres reports the end of a connection before it closes the connection. The retry needs a new connection.
      if (connectionBroke) abandon(writer);
      return { kind: "failed", error, isTemporary: connectionBroke || isDeadlock(error) };
    }
  }

  async function connected(writer: Writer): Promise<Tx> {
    if (writer.tx) return writer.tx;
    const client = await connect();
    const clearConnection = (): void => {
      if (writer.client === client) {
        writer.client = null;
        writer.tx = null;
      }
    };
    client.once("error", clearConnection);
    client.once("end", clearConnection);
    writer.client = client;
    writer.tx = bindBatchTag(client);
    return writer.tx;
  }

  function abandon(writer: Writer): void {
    void writer.client?.end().catch(() => undefined);
    writer.client = null;
    writer.tx = null;
  }

  async function close(): Promise<void> {
    if (waiting.length > 0 || idle.length < connections) {
      await new Promise<void>((resolve) => {
        whenDrained = resolve;
      });
    }
    await Promise.all(everyWriter.map((writer) => writer.client?.end()));
  }

  return Object.assign(commit, { close });
}
