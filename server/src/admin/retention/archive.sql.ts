import { type AccountId, firstUuidAt, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";

/** A row of the table of archives. */
export type RecordedArchive = {
  readonly scope: Scope;
  readonly id: string;
  readonly charges: number;
  readonly rows: number;
  readonly bytes: number;
  readonly manifestSha256: Buffer;
};

/** Records an archive, in the transaction that deletes its rows. */
export async function recordArchive(tx: Tx, archive: RecordedArchive): Promise<void> {
  const { scope, id, charges, rows, bytes, manifestSha256 } = archive;
  await tx`
    insert into archives (account_id, livemode, id, charges, deleted_rows, bytes, manifest_sha256)
    values (${uuidOf(scope.account)}, ${scope.livemode}, ${id}, ${charges}, ${rows}, ${bytes}, ${manifestSha256})
  `;
}

/**
 * Moves the archive horizon of the account forward, never back. Charges that were created before the horizon may be in
 * archives.
 */
export async function advanceHorizon(tx: Tx, scope: Scope, before: Date): Promise<void> {
  await tx`
    insert into archive_horizons as h (account_id, livemode, before)
    values (${uuidOf(scope.account)}, ${scope.livemode}, ${before})
        on conflict (account_id, livemode) do update set before = greatest(h.before, excluded.before)
  `;
}

export async function listRecordedArchives(read: Sql): Promise<RecordedArchive[]> {
  const rows = await read<{
    account_id: string;
    livemode: boolean;
    id: string;
    charges: number;
    deleted_rows: number;
    bytes: number;
    manifest_sha256: Buffer;
  }>`
    select account_id, livemode, id, charges, deleted_rows, bytes, manifest_sha256
      from archives
     order by account_id, livemode, id
  `;
  return rows.map(
    ({ account_id, livemode, id, charges, deleted_rows, bytes, manifest_sha256 }) => ({
      scope: { account: idFromUuid("acct", account_id), livemode },
      id,
      charges,
      rows: deleted_rows,
      bytes,
      manifestSha256: manifest_sha256,
    }),
  );
}

/** Returns the accounts and modes with objects that were created before `before`. */
export async function listScopesWithObjectsBefore(read: Sql, before: Date): Promise<Scope[]> {
  const oldest = firstUuidAt(before);
  const rows = await read<{ id: string; livemode: boolean }>`
    select a.id, m.livemode
      from accounts a
     cross join (values (false), (true)) as m (livemode)
     where exists (select from charges c where c.account_id = a.id and c.livemode = m.livemode and c.id < ${oldest})
        or exists (select from checkout_sessions s
                    where s.account_id = a.id and s.livemode = m.livemode and s.id < ${oldest})
        or exists (select from decisions d where d.account_id = a.id and d.livemode = m.livemode and d.id < ${oldest})
     order by a.id, m.livemode
  `;
  return rows.map(({ id, livemode }) => ({ account: idFromUuid("acct", id), livemode }));
}

/**
 * Returns the time up to which the payments of each hour are counted (`payment_hours`). Payments are not archived
 * before they are counted, because an archived payment can no longer be counted.
 */
export async function readCountedBefore(read: Sql, { account, livemode }: Scope): Promise<Date> {
  const [row] = await read<{ before: Date }>`
    select to_timestamp(measured_to::bigint * 3600) as before
      from payment_hours_progress
     where account_id = ${uuidOf(account)} and livemode = ${livemode}
  `;
  return row?.before ?? new Date(0);
}

export async function accountExists(read: Sql, account: AccountId): Promise<boolean> {
  const rows = await read`select from accounts where id = ${uuidOf(account)}`;
  return rows.length === 1;
}

/** Returns the name of the newest migration and the beginning of its checksum. */
export async function readSchemaVersion(read: Sql): Promise<string> {
  const [row] = await read<{ name: string }>`
    select name || ' ' || left(checksum, 16) as name from migrations order by name desc limit 1
  `;
  return row?.name ?? "unknown";
}

/**
 * Acquires the lock of the process that writes archives. The lock lasts as long as the connection. Returns false if
 * another process holds the lock.
 */
export async function tryArchiveLock(connection: Sql): Promise<boolean> {
  const [row] = await connection<{ taken: boolean }>`
    select pg_try_advisory_lock(hashtext('archive payments')) as taken
  `;
  return row?.taken === true;
}
