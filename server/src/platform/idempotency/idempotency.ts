import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../core/api-error.ts";
import type { Scope } from "../../core/scope.ts";
import type { Database } from "../database/database.ts";
import { type GroupCommit, groupCommit } from "../database/group-commit.ts";
import type { Tx } from "../database/sql.ts";
import type { ApiResponse, Idempotency } from "../http/route.ts";
import {
  claimKey,
  freeExpiredKey,
  type KeyOf,
  type KeyRecord,
  readKeys,
  releaseKey,
  storeResponse,
} from "./idempotency.sql.ts";

/**
 * Guarantees that the same key and body get the same response and that the work is done once.
 *
 * A key is claimed in the transaction that records the intent, and its response is stored in the transaction of the
 * outcome. After a crash a key is therefore either free or bound to work that a recovery will finish. Only a key of
 * `runWithoutTransaction` stays taken after a crash, for a minute.
 *
 * A request that finds its key taken waits for the first request's response. If the first request fails, it frees the
 * key, and one of the waiting requests claims it and does the work.
 */
export type IdempotencyKeys = {
  /** Returns the record of a key, or null when it is free. */
  find(key: KeyOf): Promise<KeyRecord | null>;
  /**
   * Waits for the response to the first request with this key and returns it. Returns null when the key is free, or
   * becomes free because the first request failed. Rejects a request with a different body with 422.
   */
  replay(scope: Scope, idempotency: Idempotency): Promise<ApiResponse | null>;
  /**
   * Runs work that claims the key itself, for example in a statement shared with other requests. The work must do
   * nothing and return null when the key is taken. The first response is then replayed.
   */
  runSelfClaiming(
    scope: Scope,
    idempotency: Idempotency | null,
    work: () => Promise<ApiResponse | null>,
  ): Promise<ApiResponse>;
  /**
   * Runs work that is one transaction. Claims the key, does the work and stores the response together, or replays the
   * first response.
   */
  runInTransaction(
    scope: Scope,
    idempotency: Idempotency | null,
    work: (tx: Tx) => Promise<ApiResponse>,
  ): Promise<ApiResponse>;
  /**
   * Runs one long transaction and claims the key at its end. If the key were claimed earlier, other requests with this
   * key would wait in Postgres and hold connections. Rolls the work back if another request has claimed the key first.
   */
  runLongTransaction(
    scope: Scope,
    idempotency: Idempotency | null,
    work: (tx: Tx) => Promise<ApiResponse>,
  ): Promise<ApiResponse>;
  /**
   * Runs work that is not a single transaction. The key is taken while the work runs. It is free again when the work
   * fails, or a minute after it was claimed if the process died, so the work must be safe to repeat.
   */
  runWithoutTransaction(
    scope: Scope,
    idempotency: Idempotency | null,
    work: () => Promise<ApiResponse>,
  ): Promise<ApiResponse>;
  close(): Promise<void>;
};

/** Thrown to roll back work whose key another request has claimed in the meantime. */
class KeyTakenByAnother extends Error {}

/** The maximum time that a request waits for the response to the first request with its key. */
const maxWaitMs = 25_000;

/**
 * The maximum number of times that a request tries to claim its key. It tries again when another request had claimed
 * the key but then failed.
 */
const maxClaims = 10;

export function createIdempotencyKeys(database: Database): IdempotencyKeys {
  const reader: GroupCommit<KeyOf, KeyRecord | null> = groupCommit({
    connect: () =>
      database.connect({ enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" }),
    connections: 2,
    maxBatch: 128,
    maxQueue: 10_000,
    write: readKeys,
  });

  async function responseOfFirst(
    scope: Scope,
    idempotency: Idempotency,
    waitUntil: number,
  ): Promise<ApiResponse | null> {
    for (let backoffMs = 10; ; backoffMs = Math.min(backoffMs * 2, 250)) {
      const record = await reader({ scope, key: idempotency.key });
      if (!record) return null;
      reject(record, idempotency);
      if (record.response) return { ...record.response, replayed: true };
      if (performance.now() + backoffMs > waitUntil) throw requestInProgress();
      await sleep(backoffMs);
    }
  }

  /** Claims the key, or waits for the first response. `claimAndWork` does nothing and returns null if the key is taken. */
  async function claimOrWait(
    scope: Scope,
    idempotency: Idempotency,
    claimAndWork: () => Promise<ApiResponse | null>,
  ): Promise<ApiResponse> {
    const waitUntil = performance.now() + maxWaitMs;
    for (let claims = 0; claims < maxClaims; claims++) {
      const response =
        (await claimAndWork()) ?? (await responseOfFirst(scope, idempotency, waitUntil));
      if (response) return response;
      // An expired key counts as free, but not every claim can replace an expired key. The key is therefore deleted
      // before the next attempt.
      await database.autocommit((tx) => freeExpiredKey(tx, { scope, key: idempotency.key }));
    }
    throw firstFailedTooOften();
  }

  return {
    find: reader,
    replay: (scope, idempotency) =>
      responseOfFirst(scope, idempotency, performance.now() + maxWaitMs),
    async runSelfClaiming(scope, idempotency, work) {
      if (idempotency) return claimOrWait(scope, idempotency, work);
      const response = await work();
      assert(response, "a request without an idempotency key found a claimed key");
      return response;
    },
    runInTransaction(scope, idempotency, work) {
      if (!idempotency) return database.transactionOf(scope, work);
      const key = { scope, key: idempotency.key };
      return claimOrWait(scope, idempotency, () =>
        database.transactionOf(scope, async (tx) => {
          if (!(await claimKey(tx, key, idempotency.fingerprint))) return null;
          const done = await work(tx);
          await storeResponse(tx, key, done);
          return done;
        }),
      );
    },
    runLongTransaction(scope, idempotency, work) {
      if (!idempotency) return database.transactionOf(scope, work);
      const key = { scope, key: idempotency.key };
      return claimOrWait(scope, idempotency, async () => {
        if ((await reader(key))?.response) return null;
        try {
          return await database.transactionOf(scope, async (tx) => {
            const done = await work(tx);
            if (!(await claimKey(tx, key, idempotency.fingerprint))) throw new KeyTakenByAnother();
            await storeResponse(tx, key, done);
            return done;
          });
        } catch (error) {
          if (error instanceof KeyTakenByAnother) return null;
          throw error;
        }
      });
    },
    runWithoutTransaction(scope, idempotency, work) {
      if (!idempotency) return work();
      const key = { scope, key: idempotency.key };
      return claimOrWait(scope, idempotency, async () => {
        const claim = (tx: Tx) => claimKey(tx, key, idempotency.fingerprint);
        if (!(await database.transactionOf(scope, claim))) return null;
        const response = await work().catch(async (error) => {
          await database.transactionOf(scope, (tx) => releaseKey(tx, key));
          throw error;
        });
        // This statement is outside of the error handler above, because the key must stay taken if its response cannot
        // be stored. If the key were released, a waiting request would repeat the completed work.
        await database.transactionOf(scope, (tx) => storeResponse(tx, key, response));
        return response;
      });
    },
    close: () => reader.close(),
  };
}

function reject(record: KeyRecord, { key, fingerprint }: Idempotency): void {
  if (record.fingerprint.equals(fingerprint)) return;
  throw new ApiError(
    "idempotency_key_in_use",
    `The Idempotency-Key '${key}' was used with a different request. Send the first request again unchanged, or use a new key for a new request.`,
  );
}

/**
 * Returns an error whose type is not `idempotency_error`. Errors of that type advise clients to use a new key, which
 * would charge twice.
 */
function requestInProgress(): ApiError {
  return new ApiError(
    "idempotency_request_in_progress",
    "The first request with this Idempotency-Key is still running. Send the request again with the same key in a few seconds.",
    { retryAfterSeconds: 5 },
  );
}

function firstFailedTooOften(): ApiError {
  return new ApiError(
    "idempotency_request_in_progress",
    "Other requests with this Idempotency-Key failed while this request waited. Send the request again with the same key.",
    { retryAfterSeconds: 1 },
  );
}
