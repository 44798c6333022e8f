import assert from "node:assert/strict";
import { eventObject } from "../../core/event-object.ts";
import { type ChargeId, idFromNullableUuid, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { booleans, integers, keysOf, texts, uuids } from "../database/array-parameter.ts";
import { fragment, type Sql, type Tx } from "../database/sql.ts";

export type KeyOf = { readonly scope: Scope; readonly key: string };

/** True if the response to the key's request is stored. */
const hasResponse = fragment`(k.status_code is not null)`;

/** True if the key's request is running or has crashed, and the key is bound to no work that a recovery will finish. */
const isAbandoned = fragment`
  (k.status_code is null and k.charge_id is null and k.operation_id is null
   and not exists (
     select from clock_advances a
      where a.account_id = k.account_id and not k.livemode and a.idempotency_key = k.key
   ))`;

/** True if the key has expired. Keys expire 24 hours after their first use, by the database's clock. */
const isExpired = fragment`k.created_at < now() - interval '24 hours'`;

/** The request and response of a key. `response` is null until the response to the first request is stored. */
export type KeyRecord = {
  readonly fingerprint: Buffer;
  readonly chargeId: ChargeId | null;
  readonly response: { readonly status: number; readonly body: string } | null;
};

/**
 * Reads the records of many keys in one statement, with null for a free key. A key whose request is still running is
 * not free, regardless of its age.
 */
export async function readKeys(read: Sql, keys: readonly KeyOf[]): Promise<(KeyRecord | null)[]> {
  const requestedKeys = keysOf({
    account_id: uuids(keys, ({ scope }) => scope.account),
    livemode: booleans(keys, ({ scope }) => scope.livemode),
    key: texts(keys, ({ key }) => key),
    place: integers(keys, (_, index) => index),
  });
  const rows = await read<{
    place: number;
    fingerprint: Buffer;
    charge_id: string | null;
    status_code: number | null;
    response: string | null;
    event_body: string | null;
  }>`
    select requested.place, k.fingerprint, k.charge_id, k.status_code, k.response, e.body as event_body
      from ${requestedKeys} as requested
      join idempotency_keys k
        on k.account_id = requested.account_id and k.livemode = requested.livemode and k.key = requested.key
      left join events e
        on e.account_id = k.account_id and e.livemode = k.livemode and e.id = k.event_id
     where not (${hasResponse} and ${isExpired})
  `;
  const records: (KeyRecord | null)[] = keys.map(() => null);
  for (const row of rows) {
    records[row.place] = {
      fingerprint: row.fingerprint,
      chargeId: idFromNullableUuid("ch", row.charge_id),
      response: responseIn(row),
    };
  }
  return records;
}

/**
 * Returns the stored response. Most responses are identical to the object in the event that the request caused. Such a
 * response is stored only in that event.
 */
function responseIn(row: {
  status_code: number | null;
  response: string | null;
  event_body: string | null;
}): KeyRecord["response"] {
  if (row.status_code === null) return null;
  const body = row.response ?? (row.event_body && eventObject(row.event_body));
  assert(body, "an idempotency key refers to a response that is missing");
  return { status: row.status_code, body };
}

/**
 * Claims a free or expired key. `storeResponse` adds the response, in the same transaction or later. Returns false when
 * the key is taken. Waits for a concurrent claim to commit or roll back. Takes over a claim that was left by a crash.
 * Such a claim has no response, is more than a minute old, and is bound to no work that a recovery will finish.
 */
export async function claimKey(
  tx: Tx,
  { scope, key }: KeyOf,
  fingerprint: Buffer,
): Promise<boolean> {
  const rows = await tx`
    insert into idempotency_keys as k (account_id, livemode, key, fingerprint)
    values (${uuidOf(scope.account)}, ${scope.livemode}, ${key}, ${fingerprint})
        on conflict (account_id, livemode, key) do update
       set fingerprint = excluded.fingerprint, charge_id = null, operation_id = null, created_at = excluded.created_at,
           status_code = null, response = null, event_id = null
     where (${hasResponse} and ${isExpired})
        or (${isAbandoned} and k.created_at < now() - interval '1 minute')
    returning key
  `;
  return rows.length === 1;
}

export async function releaseKey(tx: Tx, { scope, key }: KeyOf): Promise<void> {
  await tx`
    delete from idempotency_keys k
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and key = ${key}
       and ${isAbandoned}
  `;
}

export async function storeResponse(
  tx: Tx,
  { scope, key }: KeyOf,
  response: { status: number; body: string },
): Promise<void> {
  await tx`
    update idempotency_keys
       set status_code = ${response.status}, response = ${response.body}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and key = ${key}
  `;
}

/**
 * Stores the response of work that another request or a job may also have completed, or whose key may have been used for
 * a different request in the meantime. Does nothing if the key has a response, or if it has another fingerprint.
 */
export async function storeMissingResponse(
  tx: Tx,
  { scope, key }: KeyOf,
  fingerprint: Buffer,
  response: { status: number; body: string },
): Promise<void> {
  await tx`
    update idempotency_keys k
       set status_code = ${response.status}, response = ${response.body}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and key = ${key}
       and fingerprint = ${fingerprint} and not ${hasResponse}
  `;
}

/** Deletes a key if it has expired. */
export async function freeExpiredKey(tx: Tx, { scope, key }: KeyOf): Promise<void> {
  await tx`
    delete from idempotency_keys k
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and key = ${key}
       and ${hasResponse} and ${isExpired}
  `;
}

/**
 * Deletes up to `limit` expired keys and returns the number deleted. Never deletes a key that has no response and is
 * bound to work that a recovery will finish.
 */
export async function deleteExpiredKeys(tx: Tx, limit: number): Promise<number> {
  const rows = await tx`
    delete from idempotency_keys k
     using (
       select account_id, livemode, key
         from idempotency_keys k
        where (${hasResponse} or ${isAbandoned}) and ${isExpired}
        limit ${limit}
     ) expired
     where k.account_id = expired.account_id and k.livemode = expired.livemode and k.key = expired.key
       and (${hasResponse} or ${isAbandoned}) and ${isExpired}
    returning k.key
  `;
  return rows.length;
}
