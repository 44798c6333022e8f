import type { EventType } from "@florin/contract/event.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import type { WebhookEndpointStatus } from "@florin/contract/webhook-endpoint.ts";
import { idFromUuid, uuidOf, type WebhookEndpointId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { booleans, keysOf, timestamps, uuids } from "../../platform/database/array-parameter.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { isOneOf, type Page, pageRows } from "../../platform/http/list.ts";
import type { LogEntry } from "./delivery.ts";
import type { Failing, WebhookEndpoint } from "./endpoint.ts";

type EndpointRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  url: string;
  enabled_events: (EventType | "*")[];
  description: string | null;
  status: WebhookEndpointStatus;
  metadata: Record<string, string>;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
  failing_since: Date | null;
  failures: number;
  backoff_until: Date | null;
  last_failure: LogEntry | null;
  version: number;
};

const endpointColumns = fragment`
  account_id, livemode, id, url, enabled_events, description, status, metadata, secret, previous_secret,
  previous_secret_expires_at, failing_since, failures, backoff_until, last_failure, version
`;

function toEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    id: idFromUuid("we", row.id),
    url: row.url,
    enabledEvents: row.enabled_events,
    description: row.description,
    status: row.status,
    metadata: row.metadata,
    secrets: {
      current: row.secret,
      previous: row.previous_secret && {
        ciphertext: row.previous_secret,
        expiresAt: row.previous_secret_expires_at as Date,
      },
    },
    failing: toFailing(row),
    lastFailure: row.last_failure,
    version: row.version,
  };
}

type FailingRow = Pick<EndpointRow, "failing_since" | "failures" | "backoff_until">;

function toFailing({ failing_since, failures, backoff_until }: FailingRow): Failing | null {
  return failing_since && { since: failing_since, failures, backoffUntil: backoff_until };
}

export async function insertEndpoint(
  tx: Tx,
  endpoint: Omit<WebhookEndpoint, "version" | "failing" | "lastFailure">,
): Promise<void> {
  await tx`
    insert into webhook_endpoints (
      account_id, livemode, id, url, enabled_events, description, status, metadata, secret
    ) values (
      ${uuidOf(endpoint.scope.account)}, ${endpoint.scope.livemode}, ${uuidOf(endpoint.id)}, ${endpoint.url},
      ${endpoint.enabledEvents}, ${endpoint.description}, ${endpoint.status},
      ${JSON.stringify(endpoint.metadata)}, ${endpoint.secrets.current}
    )
  `;
}

export async function countEndpoints(read: Sql, scope: Scope): Promise<number> {
  const [row] = await read<{ count: number }>`
    select count(*)::integer as count
      from webhook_endpoints
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
  `;
  return row?.count ?? 0;
}

export async function readEndpoint(
  read: Sql,
  scope: Scope,
  id: WebhookEndpointId,
): Promise<WebhookEndpoint | null> {
  const [row] = await read<EndpointRow>`
    select ${endpointColumns}
      from webhook_endpoints
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toEndpoint(row) : null;
}

/** Locks the endpoint, so that the second of two concurrent changes is based on the first. */
export async function lockEndpoint(
  tx: Tx,
  scope: Scope,
  id: WebhookEndpointId,
): Promise<WebhookEndpoint | null> {
  const [row] = await tx<EndpointRow>`
    select ${endpointColumns}
      from webhook_endpoints
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       for update
  `;
  return row ? toEndpoint(row) : null;
}

export type EndpointFilter = {
  readonly status?: OneOrMore<WebhookEndpointStatus> | undefined;
  readonly failing?: boolean | undefined;
};

export async function listEndpoints(
  read: Sql,
  scope: Scope,
  { status, failing }: EndpointFilter,
  page: Page,
): Promise<WebhookEndpoint[]> {
  const rows = await read<EndpointRow>`
    select ${endpointColumns}
      from webhook_endpoints
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${isOneOf(fragment`status`, status)}
       ${failing === undefined ? fragment`` : fragment`and (failing_since is not null) = ${failing}`}
       ${pageRows(page)}
  `;
  return rows.map(toEndpoint);
}

/** Updates an endpoint. Enabling or disabling it, or changing its url, resets its failures and its circuit breaker. */
export async function updateEndpoint(tx: Tx, endpoint: WebhookEndpoint): Promise<void> {
  const { current, previous } = endpoint.secrets;
  await tx`
    update webhook_endpoints
       set url = ${endpoint.url}, enabled_events = ${endpoint.enabledEvents},
           description = ${endpoint.description}, metadata = ${JSON.stringify(endpoint.metadata)},
           failing_since = case when status = ${endpoint.status} and url = ${endpoint.url} then failing_since end,
           failures = case when status = ${endpoint.status} and url = ${endpoint.url} then failures else 0 end,
           backoff_until = case when status = ${endpoint.status} and url = ${endpoint.url} then backoff_until end,
           last_failure = case when status = ${endpoint.status} and url = ${endpoint.url} then last_failure end,
           status = ${endpoint.status}, secret = ${current}, previous_secret = ${previous?.ciphertext},
           previous_secret_expires_at = ${previous?.expiresAt}, version = version + 1
     where account_id = ${uuidOf(endpoint.scope.account)} and livemode = ${endpoint.scope.livemode}
       and id = ${uuidOf(endpoint.id)}
  `;
}

export type StoredSecret = {
  readonly scope: Scope;
  readonly id: WebhookEndpointId;
  readonly ciphertext: Buffer;
};

/**
 * Returns up to `limit` encrypted signing secrets of one mode that do not begin with these bytes, including previous
 * secrets of a roll.
 */
export async function readSecretsWithout(
  read: Sql,
  livemode: boolean,
  beginning: Buffer,
  limit: number,
): Promise<StoredSecret[]> {
  const rows = await read<{ account_id: string; id: string; ciphertext: Buffer }>`
    select w.account_id, w.id, s.ciphertext
      from webhook_endpoints w
     cross join lateral (values (w.secret), (w.previous_secret)) as s (ciphertext)
     where w.livemode = ${livemode} and substr(s.ciphertext, 1, ${beginning.length}) <> ${beginning}
     limit ${limit}
  `;
  return rows.map((row) => ({
    scope: { account: idFromUuid("acct", row.account_id), livemode },
    id: idFromUuid("we", row.id),
    ciphertext: row.ciphertext,
  }));
}

/** Replaces an encrypted secret, if the row still contains the ciphertext that was read. */
export async function replaceSecret(
  tx: Tx,
  { scope, id, ciphertext }: StoredSecret,
  rewrapped: Buffer,
): Promise<void> {
  await tx`
    update webhook_endpoints
       set secret = case when secret = ${ciphertext} then ${rewrapped} else secret end,
           previous_secret = case when previous_secret = ${ciphertext} then ${rewrapped} else previous_secret end
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and (secret = ${ciphertext} or previous_secret = ${ciphertext})
  `;
}

/** Deletes the endpoint. Its pending deliveries are given up when they come due. */
export async function deleteEndpoint(
  tx: Tx,
  scope: Scope,
  id: WebhookEndpointId,
): Promise<boolean> {
  const rows = await tx`
    delete from webhook_endpoints
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
    returning id
  `;
  return rows.length === 1;
}

/** Reads the endpoints of a batch of deliveries. A change takes effect with the next batch. */
export async function readEndpointsInUse(
  read: Sql,
  keys: readonly { readonly scope: Scope; readonly endpointId: WebhookEndpointId }[],
): Promise<WebhookEndpoint[]> {
  const requested = keysOf({
    account_id: uuids(keys, ({ scope }) => scope.account),
    livemode: booleans(keys, ({ scope }) => scope.livemode),
    id: uuids(keys, ({ endpointId }) => endpointId),
  });
  const rows = await read<EndpointRow>`
    select w.account_id, w.livemode, w.id, w.url, w.enabled_events, w.description, w.status, w.metadata,
           w.secret, w.previous_secret, w.previous_secret_expires_at, w.failing_since, w.failures, w.backoff_until,
           w.last_failure, w.version
      from ${requested} as i
      join webhook_endpoints w on w.account_id = i.account_id and w.livemode = i.livemode and w.id = i.id
  `;
  return rows.map(toEndpoint);
}

/**
 * Counts a failure and the UTC days with failures. `backoffs` contains the end of the backoff after one consecutive
 * failure, after two, and so on. The last entry applies to all further failures. Returns null if the endpoint is
 * disabled or deleted.
 */
export async function writeFailure(
  tx: Tx,
  scope: Scope,
  id: WebhookEndpointId,
  attempt: LogEntry,
  now: Date,
  backoffs: readonly (Date | null)[],
): Promise<(Failing & { readonly days: number }) | null> {
  const [row] = await tx<FailingRow & { failing_days: number }>`
    update webhook_endpoints
       set failing_since = coalesce(failing_since, ${now}), failures = failures + 1,
           failing_days = case
             when failing_since is null then 1
             else failing_days + (
               coalesce((last_failure ->> 'at')::bigint, 0) / 86400 < ${attempt.at}::bigint / 86400)::integer
           end,
           last_failure = case
             when (last_failure ->> 'at')::bigint > ${attempt.at}::bigint then last_failure
             else ${JSON.stringify(attempt)}::jsonb
           end,
           backoff_until = (${timestamps(backoffs, (until) => until)}::timestamptz[])[least(failures + 1, ${backoffs.length}::integer)]
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and status = 'enabled'
    returning failing_since, failures, backoff_until, failing_days
  `;
  const failing = row && toFailing(row);
  return failing ? { ...failing, days: row.failing_days } : null;
}

/** Ends the backoff, so that a requested resend is sent immediately. If the resend fails, a new backoff begins. */
export async function endBackoff(
  tx: Tx,
  scope: Scope,
  id: WebhookEndpointId,
  now: Date,
): Promise<void> {
  await tx`
    update webhook_endpoints
       set backoff_until = ${now}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and backoff_until > ${now}
  `;
}

/** Resets the failures after a success and closes the circuit breaker. */
export async function resetFailures(tx: Tx, scope: Scope, id: WebhookEndpointId): Promise<void> {
  await tx`
    update webhook_endpoints
       set failing_since = null, failures = 0, backoff_until = null, last_failure = null
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and failures > 0
  `;
}

/** Disables an endpoint after a failed attempt. Returns null when it is already disabled or deleted. */
export async function disableEndpoint(
  tx: Tx,
  scope: Scope,
  id: WebhookEndpointId,
  attempt: LogEntry,
): Promise<WebhookEndpoint | null> {
  const [row] = await tx<EndpointRow>`
    update webhook_endpoints
       set status = 'disabled', failing_since = null, failures = 0, backoff_until = null,
           last_failure = ${JSON.stringify(attempt)}, version = version + 1
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and status = 'enabled'
    returning ${endpointColumns}
  `;
  return row ? toEndpoint(row) : null;
}
