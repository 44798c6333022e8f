import { idFromUuid } from "../../core/ids.ts";
import { Fragment, type Sql } from "../../platform/database/sql.ts";
import { describe, type Found, limitExamples, mergeFound } from "./check.ts";
import { contradiction, type StoredResponseRow } from "./stored-response.ts";

const charge = (uuid: string): string => idFromUuid("ch", uuid);

/** The number of responses that are read in one batch. Each is about a kilobyte. */
const responseBatchSize = 5_000;

/**
 * Finds stored responses that contradict their charge: another ID, amount or currency, or a status that cannot change
 * to the charge's current status. The texts are read in batches and parsed in this process, because Postgres would take
 * ten times as long.
 */
export async function findResponsesContradictingCharge(read: Sql): Promise<Found> {
  await read`
    declare responses no scroll cursor for
    select k.key, k.status_code, k.response, e.body as event_body, c.id, c.status, c.amount, c.currency,
           c.failure_entry_id is not null as capture_failed
      from idempotency_keys k
      join charges c on c.account_id = k.account_id and c.livemode = k.livemode and c.id = k.charge_id
      left join events e
        on e.account_id = k.account_id and e.livemode = k.livemode and e.id = k.event_id
     where k.status_code in (201, 402)
  `;
  const sentences: string[] = [];
  for (;;) {
    const rows = await read<StoredResponseRow>`fetch ${portion} from responses`;
    for (const row of rows) {
      const sentence = contradiction(row);
      if (sentence) sentences.push(`The stored response of key '${row.key}' ${sentence}.`);
    }
    if (rows.length === 0) break;
  }
  await read`close responses`;
  return { total: sentences.length, sentences: sentences.slice(0, 20) };
}

/** The batch size as literal SQL, because FETCH accepts no parameter. */
const portion = new Fragment(Object.assign([String(responseBatchSize)], { raw: [] }), []);

/**
 * Finds stored responses with an error of the service or with a rejection of the request. Only the responses of
 * executed requests may be stored, because a retry would return a stored failure for a day.
 */
export async function findStoredFaults(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; key: string; status_code: number }>`
    select count(*) over () as total, key, status_code
      from idempotency_keys
     where status_code is not null
       and not (status_code = 201
                or (status_code = 402 and (charge_id is not null or operation_id is not null))
                or (status_code = 200 and charge_id is null))
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ key, status_code }) =>
      `The stored response of key '${key}' has status ${status_code}, which must not be stored.`,
  );
}

/**
 * Finds claimed keys that refer to a missing charge or operation. Also finds keys without a stored response although
 * their charge or operation has left its first state. A key that refers to no object and has no response is not a
 * violation: a test helper uses it, or crashed while using it.
 */
export async function findKeysWithoutResponse(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; key: string; id: string | null; status: string | null }>`
    select count(*) over () as total, k.key, k.charge_id as id, c.status
      from idempotency_keys k
      left join charges c on c.account_id = k.account_id and c.livemode = k.livemode and c.id = k.charge_id
      left join operations o
        on o.account_id = k.account_id and o.livemode = k.livemode and o.id = k.operation_id
     where (k.charge_id is not null and c.id is null)
        or (k.operation_id is not null and o.id is null)
        or (k.status_code is null and (k.charge_id is not null or k.operation_id is not null)
            and case when k.operation_id is null
                     then c.id is null or c.status <> 'processing' or c.pending_reason is not null
                     else o.id is null or o.status <> 'processing' or o.pending_reason is not null end)
     ${limitExamples}
  `;
  return describe(rows, ({ key, id, status }) => {
    if (id === null)
      return `The key '${key}' belongs to an operation that does not exist or whose response is not stored.`;
    if (status === null) return `The key '${key}' belongs to ${charge(id)}, which does not exist.`;
    return `${charge(id)} is ${status}, but its key '${key}' has no stored response.`;
  });
}

/** Finds keys that several charges share, and charges that have several keys. */
export async function findKeysSharedByCharges(read: Sql): Promise<Found> {
  const twoKeys = await read<{ total: number; id: string; keys: number }>`
    select count(*) over () as total, charge_id as id, count(*) as keys
      from idempotency_keys
     where charge_id is not null
     group by account_id, livemode, charge_id
    having count(*) > 1
     ${limitExamples}
  `;
  const wrongKey = await read<{ total: number; key: string; id: string; of: string | null }>`
    select count(*) over () as total, k.key, c.id, c.idempotency_key as of
      from idempotency_keys k
      join charges c on c.account_id = k.account_id and c.livemode = k.livemode and c.id = k.charge_id
     where c.idempotency_key is distinct from k.key
     ${limitExamples}
  `;
  // A key can be used again after a day, so only charges of the last day count.
  const twoCharges = await read<{ total: number; key: string; id: string; other: string | null }>`
    select count(*) over () as total, c.idempotency_key as key, c.id, k.charge_id as other
      from charges c
      left join idempotency_keys k
        on k.account_id = c.account_id and k.livemode = c.livemode and k.key = c.idempotency_key
     where c.idempotency_key is not null and k.charge_id is distinct from c.id
       and c.id >= (lpad(to_hex((extract(epoch from now() - interval '23 hours') * 1000)::bigint), 12, '0')
                    || '00000000000000000000')::uuid
     ${limitExamples}
  `;
  return mergeFound(
    describe(twoKeys, ({ id, keys }) => `${charge(id)} belongs to ${keys} keys.`),
    describe(
      wrongKey,
      ({ key, id, of }) =>
        `The key '${key}' belongs to ${charge(id)}, which was created with key '${of}'.`,
    ),
    describe(twoCharges, ({ key, id, other }) =>
      other === null
        ? `${charge(id)} was created with the key '${key}', which is not stored.`
        : `The key '${key}' created ${charge(id)} and ${charge(other)}.`,
    ),
  );
}
