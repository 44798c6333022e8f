import { type ConnectionId, idFromUuid, uuidOf } from "../../core/ids.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import type { LiveProcessorName } from "../processor.ts";
import type { Connection, ConnectionState, Environment } from "./connection.ts";

/**
 * A connection with its secrets as stored. `current` is null before secrets are first stored and after the connection
 * is retired.
 */
export type StoredConnection = {
  readonly connection: Connection;
  readonly encrypted: { readonly current: Buffer | null; readonly previous: Buffer | null };
};

type ConnectionRow = {
  id: string;
  processor: LiveProcessorName;
  name: string;
  environment: Environment;
  state: ConnectionState;
  endpoint_key: string;
  settings: { merchant_account: string; live_prefix?: string; public_key?: string };
  requests_per_second: number | null;
  secrets: Buffer | null;
  previous_secrets: Buffer | null;
  previous_secrets_until: Date | null;
  secrets_version: number;
  secrets_configured_at: Date | null;
  test_passed_at: Date | null;
  test_passed_secrets_version: number | null;
  test_problem: string | null;
  notification_seen_at: Date | null;
  notification_secrets_version: number | null;
  suspended_reason: string | null;
  certified_at: Date | null;
  certified_connector: string | null;
  certified_checks: number | null;
  version: number;
};

export async function insertConnection(tx: Tx, connection: Connection): Promise<void> {
  await tx`
    insert into processor_connections (
      id, processor, name, environment, state, endpoint_key, settings, requests_per_second
    ) values (
      ${uuidOf(connection.id)}, ${connection.processor}, ${connection.name}, ${connection.environment},
      ${connection.state}, ${connection.endpointKey}, ${settingsOf(connection)}, ${connection.requestsPerSecond}
    )
  `;
}

/** Returns the acquirers of these connections. */
export async function readProcessors(
  read: Sql,
  ids: readonly ConnectionId[],
): Promise<ReadonlyMap<ConnectionId, LiveProcessorName>> {
  const rows = await read<Pick<ConnectionRow, "id" | "processor">>`
    select id, processor from processor_connections where id = any (${ids.map(uuidOf)}::uuid[])
  `;
  return new Map(rows.map(({ id, processor }) => [idFromUuid("con", id), processor]));
}

export async function readConnection(
  read: Sql,
  id: ConnectionId,
): Promise<StoredConnection | null> {
  const [row] = await read<ConnectionRow>`
    select * from processor_connections where id = ${uuidOf(id)}
  `;
  return row ? toStored(row) : null;
}

/**
 * Locks and returns the connection, so that it cannot be retired while an account is assigned to it. Takes the same row
 * lock as an update of the connection.
 */
export async function lockConnection(tx: Tx, id: ConnectionId): Promise<StoredConnection | null> {
  const [row] = await tx<ConnectionRow>`
    select * from processor_connections where id = ${uuidOf(id)} for no key update
  `;
  return row ? toStored(row) : null;
}

/**
 * Locks the connection, so that it is not retired before the transaction ends. Returns false if it is retired.
 * Concurrent transactions can hold this lock.
 */
export async function lockUnretired(tx: Tx, id: ConnectionId): Promise<boolean> {
  const rows = await tx`
    select from processor_connections where id = ${uuidOf(id)} and state <> 'retired' for share
  `;
  return rows.length === 1;
}

/** Returns all connections, newest first. An installation has a few. */
export async function listConnections(read: Sql): Promise<StoredConnection[]> {
  const rows = await read<ConnectionRow>`select * from processor_connections order by id desc`;
  return rows.map(toStored);
}

/**
 * Replaces the connection if its stored version is still `version`. Returns false if a concurrent change was committed
 * first. If the connection is retired, its secrets are erased.
 */
export async function updateConnection(
  tx: Tx,
  version: number,
  connection: Connection,
): Promise<boolean> {
  const rows = await tx`
    update processor_connections
       set ${factsOf(connection)},
           secrets = case when ${connection.state} = 'retired' then null else secrets end,
           previous_secrets = case when ${connection.secrets.previousUntil}::timestamptz is null then null else previous_secrets end
     where id = ${uuidOf(connection.id)} and version = ${version}
    returning id
  `;
  return rows.length === 1;
}

/**
 * Replaces the connection like `updateConnection`, and stores new secrets. The current secrets become the previous
 * ones. If `previousUntil` is null, they are erased instead.
 */
export async function rotateSecrets(
  tx: Tx,
  version: number,
  connection: Connection,
  ciphertext: Buffer,
): Promise<boolean> {
  const rows = await tx`
    update processor_connections
       set ${factsOf(connection)}, secrets = ${ciphertext},
           previous_secrets = case when ${connection.secrets.previousUntil}::timestamptz is null then null else secrets end
     where id = ${uuidOf(connection.id)} and version = ${version}
    returning id
  `;
  return rows.length === 1;
}

function factsOf(connection: Connection) {
  const { secrets, test, notification, certification } = connection;
  const suspendedReason = connection.state === "suspended" ? connection.suspendedReason : null;
  return fragment`
    name = ${connection.name}, state = ${connection.state}, settings = ${settingsOf(connection)},
    requests_per_second = ${connection.requestsPerSecond}, secrets_version = ${secrets.version},
    secrets_configured_at = ${secrets.configuredAt}, previous_secrets_until = ${secrets.previousUntil},
    test_passed_at = ${test.passedAt}, test_passed_secrets_version = ${test.secretsVersion},
    test_problem = ${test.problem}, notification_seen_at = ${notification?.seenAt ?? null},
    notification_secrets_version = ${notification?.secretsVersion ?? null},
    suspended_reason = ${suspendedReason}, certified_at = ${certification?.certifiedAt ?? null},
    certified_connector = ${certification?.connector ?? null}, certified_checks = ${certification?.checks ?? null},
    version = version + 1
  `;
}

function settingsOf({ settings: { merchantAccount, livePrefix }, publicKey }: Connection): string {
  return JSON.stringify({
    merchant_account: merchantAccount,
    ...(livePrefix !== null && { live_prefix: livePrefix }),
    ...(publicKey !== null && { public_key: publicKey }),
  });
}

/** A ciphertext of a connection, either of its current or of its previous secrets. */
export type StoredSecrets = { readonly id: ConnectionId; readonly ciphertext: Buffer };

/** Returns up to `limit` current and previous secrets whose ciphertext does not begin with `beginning`. */
export async function readSecretsWithout(
  read: Sql,
  beginning: Buffer,
  limit: number,
): Promise<StoredSecrets[]> {
  const rows = await read<{ id: string; ciphertext: Buffer }>`
    select c.id, s.ciphertext
      from processor_connections c
     cross join lateral (values (c.secrets), (c.previous_secrets)) as s (ciphertext)
     where substr(s.ciphertext, 1, ${beginning.length}) <> ${beginning}
     limit ${limit}
  `;
  return rows.map(({ id, ciphertext }) => ({ id: idFromUuid("con", id), ciphertext }));
}

/** Replaces encrypted secrets, if the row still contains the ciphertext that was read. */
export async function replaceSecrets(
  tx: Tx,
  { id, ciphertext }: StoredSecrets,
  rewrapped: Buffer,
): Promise<void> {
  await tx`
    update processor_connections
       set secrets = case when secrets = ${ciphertext} then ${rewrapped} else secrets end,
           previous_secrets = case when previous_secrets = ${ciphertext} then ${rewrapped} else previous_secrets end
     where id = ${uuidOf(id)} and (secrets = ${ciphertext} or previous_secrets = ${ciphertext})
  `;
}

function toStored(row: ConnectionRow): StoredConnection {
  return {
    connection: toConnection(row),
    encrypted: { current: row.secrets, previous: row.previous_secrets },
  };
}

function toConnection(row: ConnectionRow): Connection {
  const facts = {
    id: idFromUuid("con", row.id),
    processor: row.processor,
    name: row.name,
    environment: row.environment,
    endpointKey: row.endpoint_key,
    settings: {
      merchantAccount: row.settings.merchant_account,
      livePrefix: row.settings.live_prefix ?? null,
    },
    publicKey: row.settings.public_key ?? null,
    requestsPerSecond: row.requests_per_second,
    secrets: {
      version: row.secrets_version,
      configuredAt: row.secrets_configured_at,
      previousUntil: row.previous_secrets_until,
    },
    test: {
      passedAt: row.test_passed_at,
      secretsVersion: row.test_passed_secrets_version,
      problem: row.test_problem,
    },
    notification: row.notification_seen_at && {
      seenAt: row.notification_seen_at,
      secretsVersion: row.notification_secrets_version as number,
    },
    certification: row.certified_at && {
      certifiedAt: row.certified_at,
      connector: row.certified_connector as string,
      checks: row.certified_checks as number,
    },
    version: row.version,
  };
  return row.state === "suspended"
    ? { ...facts, state: row.state, suspendedReason: row.suspended_reason as string }
    : { ...facts, state: row.state };
}
