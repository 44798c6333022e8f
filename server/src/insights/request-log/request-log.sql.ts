import type { ListRequestLogs, RequestOutcome } from "@florin/contract/request-log.ts";
import { idFromUuid, type RequestId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import {
  booleans,
  integers,
  rowsOf,
  texts,
  uuids,
} from "../../platform/database/array-parameter.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { isOneOf, meetsOneOf, type Page, pageRows } from "../../platform/http/list.ts";
import type { ReadRequest, StoredRequest } from "./logged-request.ts";

/** Inserts the collected requests. Skips rows that exist, because a batch is retried after a lost reply to COMMIT. */
export async function insertRequests(tx: Tx, requests: readonly StoredRequest[]): Promise<void> {
  const column = (of: (request: StoredRequest) => string | null) => texts(requests, of);
  const logged = rowsOf({
    account_id: uuids(requests, ({ scope }) => scope.account),
    livemode: booleans(requests, ({ scope }) => scope.livemode),
    id: uuids(requests, ({ id }) => id),
    method: column(({ method }) => method),
    path: column(({ path }) => path),
    query: column(({ query }) => query),
    endpoint: column(({ endpoint }) => endpoint),
    status: integers(requests, ({ status }) => status),
    error_code: column(({ errorCode }) => errorCode),
    duration_ms: integers(requests, ({ durationMs }) => durationMs),
    actor_kind: column(({ actor }) => actor.kind),
    actor_id: column(({ actor }) => actor.id),
    actor_name: column(({ actor }) => actor.name),
    ip: column(({ ip }) => ip),
    user_agent: column(({ userAgent }) => userAgent),
    idempotency_key: column(({ idempotencyKey }) => idempotencyKey),
    request_body: column(({ requestBody }) => requestBody),
    response_body: column(({ responseBody }) => responseBody),
    left_out: integers(requests, ({ leftOut }) => leftOut),
    objects: column(({ objects }) => objects.join(" ")),
  });
  await tx`
    insert into request_log (
      account_id, livemode, id, method, path, query, endpoint, status, error_code, duration_ms, actor_kind, actor_id,
      actor_name, ip, user_agent, idempotency_key, request_body, response_body, left_out, object_ids
    )
    select account_id, livemode, id, method, path, query, endpoint, status, error_code, duration_ms, actor_kind,
           actor_id, actor_name, ip, user_agent, idempotency_key, request_body, response_body, left_out,
           string_to_array(objects, ' ')::uuid[]
      from ${logged} as r
        on conflict do nothing
  `;
}

type RequestRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  method: ReadRequest["method"];
  path: string;
  query: string | null;
  endpoint: string;
  status: number;
  error_code: string | null;
  duration_ms: number;
  actor_kind: ReadRequest["actor"]["type"];
  actor_id: string;
  actor_name: string;
  ip: string;
  user_agent: string | null;
  idempotency_key: string | null;
  request_body: string | null;
  response_body: string | null;
  left_out: number;
};

const columns = fragment`
  account_id, livemode, id, method, path, query, endpoint, status, error_code, duration_ms, actor_kind, actor_id,
  actor_name, ip, user_agent, idempotency_key, left_out
`;

function toRequest(row: RequestRow): ReadRequest {
  return {
    id: idFromUuid("req", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    actor: { type: row.actor_kind, id: row.actor_id, name: row.actor_name },
    method: row.method,
    path: row.path,
    query: row.query,
    endpoint: row.endpoint,
    status: row.status,
    errorCode: row.error_code,
    durationMs: row.duration_ms,
    ip: row.ip,
    userAgent: row.user_agent,
    idempotencyKey: row.idempotency_key,
    requestBody: row.request_body,
    responseBody: row.response_body,
    leftOut: row.left_out,
  };
}

export type RequestFilter = Pick<
  ListRequestLogs,
  "status" | "method" | "path" | "endpoint" | "error_code" | "actor_id"
> & { readonly object?: string | undefined };

const hasOutcome: Readonly<Record<RequestOutcome, Fragment>> = {
  succeeded: fragment`status < 400`,
  failed: fragment`status >= 400`,
  "2xx": fragment`status between 200 and 299`,
  "4xx": fragment`status >= 400 and status < 500`,
  "5xx": fragment`status >= 500`,
};

export async function listRequests(
  read: Sql,
  scope: Scope,
  filter: RequestFilter,
  page: Page,
): Promise<ReadRequest[]> {
  const { status, method, path, endpoint, error_code, actor_id, object } = filter;
  const nothing = fragment``;
  const rows = await read<RequestRow>`
    select ${columns}
      from request_log
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${meetsOneOf(hasOutcome, status)}
       ${isOneOf(fragment`method`, method)}
       ${path ? fragment`and starts_with(path, ${path})` : nothing}
       ${endpoint ? fragment`and endpoint = ${endpoint}` : nothing}
       ${error_code ? fragment`and status >= 400 and error_code = ${error_code}` : nothing}
       ${actor_id ? fragment`and actor_id = ${actor_id}` : nothing}
       ${object ? fragment`and object_ids @> array[${object}::uuid]` : nothing}
       ${pageRows(page)}
  `;
  return rows.map(toRequest);
}

export async function readRequest(
  read: Sql,
  scope: Scope,
  id: RequestId,
): Promise<ReadRequest | null> {
  const [row] = await read<RequestRow>`
    select ${columns}, request_body, response_body
      from request_log
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toRequest(row) : null;
}

export type ErrorGroup = {
  readonly endpoint: string;
  readonly error_code: string;
  readonly status: number;
  readonly count: number;
  readonly first: string;
  readonly last: string;
};

/** Groups the errors since `since` by endpoint and code, most recently seen first. */
export async function groupErrors(read: Sql, scope: Scope, since: string): Promise<ErrorGroup[]> {
  return read<ErrorGroup>`
    select endpoint, coalesce(error_code, 'unknown') as error_code, count(*) as count,
           (array_agg(status order by id desc))[1] as status,
           (array_agg(id order by id))[1] as first, (array_agg(id order by id desc))[1] as last
      from request_log
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and status >= 400 and id >= ${since}
     group by endpoint, coalesce(error_code, 'unknown')
     order by last desc
     limit 100
  `;
}

/**
 * Deletes up to `limit` requests with an ID below `before` from the default partition. The default partition contains
 * the requests of weeks without a partition, so it is empty unless the job that creates the partitions was behind.
 * The partitions of other weeks are dropped as a whole.
 */
export async function deleteOldRequests(tx: Tx, before: string, limit: number): Promise<number> {
  const rows = await tx`
    delete from request_log_default
     where (account_id, livemode, id) in (
       select account_id, livemode, id from request_log_default where id < ${before} limit ${limit}
     )
    returning id
  `;
  return rows.length;
}

/** Returns the callers of these requests. Leaves out requests that are no longer in the log. */
export async function readActorsOf(
  read: Sql,
  scope: Scope,
  ids: readonly RequestId[],
): Promise<Map<RequestId, ReadRequest["actor"]>> {
  type ActorRow = Pick<RequestRow, "id" | "actor_kind" | "actor_id" | "actor_name">;
  const rows = await read<ActorRow>`
    select id, actor_kind, actor_id, actor_name
      from request_log
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and id = any (${ids.map(uuidOf)}::uuid[])
  `;
  return new Map(
    rows.map((row) => [
      idFromUuid("req", row.id),
      { type: row.actor_kind, id: row.actor_id, name: row.actor_name },
    ]),
  );
}
