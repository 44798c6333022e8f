import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../database/database.ts";
import { type GroupCommit, groupCommit } from "../database/group-commit.ts";
import type { Tx } from "../database/sql.ts";
import type { Answer, Idempotency } from "../http/route.ts";
import { ApiError } from "../primitives/api-error.ts";
import type { Owner } from "../primitives/owner.ts";
import {
  claimKey,
  freeExpiredKey,
  giveUpKey,
  type KeyOf,
  type KeyRecord,
  readKeys,
  storeAnswer,
} from "./idempotency.sql.ts";

/**
 * One promise: the same key and body get the same answer, and the work is done once (spec §8, contract §4).
 *
 * A key is claimed in the transaction that first writes the intention down, and its answer is stored in the
 * transaction of the outcome. So after any crash a key is either free, or leads to work that will be finished.
 */
export type IdempotencyKeys = {
  /** What the key is bound to; null when it is free. */
  find(key: KeyOf): Promise<KeyRecord | null>;
  /** For a key that is taken: the first request's answer, waited for; throws 422 for another body. */
  replay(owner: Owner, idempotency: Idempotency): Promise<Answer>;
  /**
   * For work that claims its key by itself, in a statement it shares with others; it answers null when the key is
   * taken, and the first request's answer is given in its place.
   */
  unlessTaken(
    owner: Owner,
    idempotency: Idempotency | null,
    work: () => Promise<Answer | null>,
  ): Promise<Answer>;
  /** Does work that is one transaction: claimed, done and answered together, or replayed. */
  once(
    owner: Owner,
    idempotency: Idempotency | null,
    work: (tx: Tx) => Promise<Answer>,
  ): Promise<Answer>;
  /**
   * The same for work that takes long. Its key is claimed at its end, for whoever sends the key meanwhile, with whatever
   * request, would wait for it in Postgres, and others with them. When it was claimed meanwhile, the work is undone.
   */
  atLength(
    owner: Owner,
    idempotency: Idempotency | null,
    work: (tx: Tx) => Promise<Answer>,
  ): Promise<Answer>;
  /**
   * Does work that is no single transaction and that nobody finishes after a crash. While it runs its key is taken; the
   * key is free again when the work fails, or a minute after its process died.
   */
  around(owner: Owner, idempotency: Idempotency, work: () => Promise<Answer>): Promise<Answer>;
  close(): Promise<void>;
};

/** Undoes work whose key another request has claimed while it was done. */
class TakenMeanwhile extends Error {}

/** How long a second request waits for the first (contract §4). */
const longestWaitMs = 25_000;

/** The key is known to nobody, or its first request left without an answer: the caller may start over. */
const takenThenFreed = () =>
  new ApiError(
    "idempotency_request_in_progress",
    "The first request with this Idempotency-Key has just ended without an answer. Send it again, with the same key.",
    { retryAfterSeconds: 1 },
  );

export function openIdempotencyKeys(database: Database): IdempotencyKeys {
  const reader: GroupCommit<KeyOf, KeyRecord | null> = groupCommit({
    connect: () =>
      database.connect({ enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" }),
    connections: 2,
    maxBatch: 128,
    maxQueue: 10_000,
    write: readKeys,
  });

  async function replay(owner: Owner, idempotency: Idempotency): Promise<Answer> {
    const waitUntil = performance.now() + longestWaitMs;
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 250)) {
      const record = await reader({ owner, key: idempotency.key });
      if (!record) throw takenThenFreed();
      refuse(record, idempotency);
      if (record.answer) return { ...record.answer, replayed: true };
      if (performance.now() + pauseMs > waitUntil) throw stillRunning();
      await sleep(pauseMs);
    }
  }

  async function unlessTaken(
    owner: Owner,
    idempotency: Idempotency | null,
    work: () => Promise<Answer | null>,
  ): Promise<Answer> {
    const answer = await work();
    if (answer) return answer;
    assert(idempotency, "Work without an idempotency key found it taken");

    // Nobody holds the key, and yet it was taken: its day is over, and this request is a new one.
    const key = { owner, key: idempotency.key };
    if (await reader(key)) return replay(owner, idempotency);
    await database.transaction((tx) => freeExpiredKey(tx, key));
    return (await work()) ?? replay(owner, idempotency);
  }

  return {
    find: reader,
    replay,
    unlessTaken,
    async once(owner, idempotency, work) {
      if (!idempotency) return database.transactionOf(owner, work);
      const key = { owner, key: idempotency.key };
      const answer = await database.transactionOf(owner, async (tx) => {
        if (!(await claimKey(tx, key, idempotency.fingerprint))) return null;
        const done = await work(tx);
        await storeAnswer(tx, key, done);
        return done;
      });
      return answer ?? replay(owner, idempotency);
    },
    async atLength(owner, idempotency, work) {
      if (!idempotency) return database.transactionOf(owner, work);
      const key = { owner, key: idempotency.key };
      if ((await reader(key))?.answer) return replay(owner, idempotency);
      try {
        return await database.transactionOf(owner, async (tx) => {
          const done = await work(tx);
          if (!(await claimKey(tx, key, idempotency.fingerprint))) throw new TakenMeanwhile();
          await storeAnswer(tx, key, done);
          return done;
        });
      } catch (error) {
        if (error instanceof TakenMeanwhile) return replay(owner, idempotency);
        throw error;
      }
    },
    async around(owner, idempotency, work) {
      const key = { owner, key: idempotency.key };
      const claim = (tx: Tx) => claimKey(tx, key, idempotency.fingerprint);
      if (!(await database.transactionOf(owner, claim))) return replay(owner, idempotency);
      try {
        const answer = await work();
        await database.transactionOf(owner, (tx) => storeAnswer(tx, key, answer));
        return answer;
      } catch (error) {
        await database.transactionOf(owner, (tx) => giveUpKey(tx, key));
        throw error;
      }
    },
    close: () => reader.close(),
  };
}

function refuse(record: KeyRecord, { key, fingerprint }: Idempotency): void {
  if (record.fingerprint.equals(fingerprint)) return;
  throw new ApiError(
    "idempotency_key_in_use",
    `The Idempotency-Key '${key}' was used with a different request. Send the same body again, or choose a new key for a new request.`,
  );
}

/** Not an idempotency_error: its advice, a new key, would charge twice (contract §4). */
function stillRunning(): ApiError {
  return new ApiError(
    "idempotency_request_in_progress",
    "The first request with this Idempotency-Key is still running. Send it again in a few seconds, with the same key.",
    { retryAfterSeconds: 5 },
  );
}
