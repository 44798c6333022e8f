import type { OneOrMore } from "@florin/contract/list.ts";
import type { ReconciliationStatus } from "@florin/contract/reconciliation.ts";
import { firstUuidAt, idFromUuid, type ReconciliationId, uuidOf } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import { endOf } from "../core/utc-day.ts";
import { rowsOfEachScope } from "../platform/database/each-scope.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../platform/database/sql.ts";
import { isOneOf, type Page, pageRows } from "../platform/http/list.ts";
import type { Outcome, Reconciliation, Settled } from "./reconciliation.ts";

/** The first of the two keys of the advisory lock. The second is a hash of the account and mode. */
const lockSpace = 0x7265636f;

/**
 * Acquires the session-level lock on a merchant's reconciliation. Returns false if another session holds it. If two
 * merchants have the same hash, they only wait for each other.
 */
export async function tryReconciliationLock(
  connection: Sql,
  { account, livemode }: Scope,
): Promise<boolean> {
  const [row] = await connection<{ taken: boolean }>`
    select pg_try_advisory_lock(${lockSpace}, hashtext(${`${account} ${livemode}`})) as taken
  `;
  return row?.taken === true;
}

/** Inserts or updates the result of a day. A repeated reconciliation keeps the ID of the first. */
export async function storeReconciliation(
  tx: Tx,
  reconciliation: Reconciliation,
): Promise<Reconciliation> {
  const { scope, outcome } = reconciliation;
  const compared = "open" in outcome ? outcome : null;
  const [row] = await tx<Row>`
    insert into reconciliations as r (
      account_id, livemode, id, day, status, processor, checked_at, complete_until, failure_message, open_count,
      in_transit_count, settled
    ) values (
      ${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(reconciliation.id)}, ${reconciliation.day},
      ${outcome.status}, ${reconciliation.processor}, ${reconciliation.checkedAt}, ${compared?.completeUntil ?? null},
      ${"message" in outcome ? outcome.message : null}, ${compared?.open ?? 0}, ${compared?.inTransit ?? 0},
      ${JSON.stringify(compared?.settled ?? [])}
    )
        on conflict (account_id, livemode, day) do update
       set status = excluded.status, processor = excluded.processor, checked_at = excluded.checked_at,
           complete_until = excluded.complete_until, failure_message = excluded.failure_message,
           open_count = excluded.open_count, in_transit_count = excluded.in_transit_count, settled = excluded.settled
    returning ${columns}
  `;
  return toReconciliation(row as Row);
}

const columns = fragment`
  account_id, livemode, id, day::text as day, status, processor, checked_at, complete_until, failure_message,
  open_count, in_transit_count, settled
`;

export async function readReconciliation(
  read: Sql,
  scope: Scope,
  id: ReconciliationId,
): Promise<Reconciliation | null> {
  const [row] = await read<Row>`
    select ${columns}
      from reconciliations
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toReconciliation(row) : null;
}

export async function listReconciliations(
  read: Sql,
  scope: Scope,
  status: OneOrMore<ReconciliationStatus> | undefined,
  page: Page,
): Promise<Reconciliation[]> {
  const rows = await read<Row>`
    select ${columns}
      from reconciliations
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${isOneOf(fragment`status`, status)}
       ${pageRows(page)}
  `;
  return rows.map(toReconciliation);
}

export type UnreconciledQuery = {
  readonly day: string;
  /**
   * Days that were reconciled before this time are due again if their result is incomplete. If null, every day is due,
   * even with a complete result.
   */
  readonly again: Date | null;
  /** The last merchant and mode of the previous page. Null for the first page. */
  readonly after: Scope | null;
};

/** Charges older than this are ignored when merchants are selected, because no settlement line refers to them. */
const maxTailMs = 120 * 24 * 60 * 60 * 1000;

/**
 * Returns the merchants and modes whose day must be reconciled: those with a recent charge, and those with a settlement
 * report of the day. After a restore, the report can list charges of a merchant whose charges were lost. If `again` is
 * set, omits those whose day is complete or was reconciled after `again`. Omits live mode for accounts that never had
 * an acquirer. Of those that follow `after`, returns the first `limit` in the order of their accounts.
 */
export async function listUnreconciled(
  read: Sql,
  { day, again, after }: UnreconciledQuery,
  limit: number,
): Promise<Scope[]> {
  const dayEnds = endOf(day);
  const rows = await read<{ id: string; livemode: boolean }>`
    select a.id, m.livemode
      from accounts a
     cross join (values (false), (true)) as m (livemode)
     where (exists (
             select from charges c
              where c.account_id = a.id and c.livemode = m.livemode and c.id < ${firstUuidAt(dayEnds)}
                and c.id >= ${firstUuidAt(new Date(dayEnds.getTime() - maxTailMs))}
           ) or (m.livemode and a.id in (${accountsWithReport(day)})))
       and (not m.livemode or exists (select from processor_assignments p where p.account_id = a.id))
       ${again ? isIncomplete(day, dayEnds, again) : fragment``}
       ${after ? fragment`and (a.id, m.livemode) > (${uuidOf(after.account)}, ${after.livemode})` : fragment``}
     order by a.id, m.livemode
     limit ${limit}
  `;
  return rows.map(({ id, livemode }) => ({ account: idFromUuid("acct", id), livemode }));
}

function accountsWithReport(day: string): Fragment {
  return fragment`
             select p.account_id
               from settlement_reports r
               join processor_assignments p on p.connection_id = r.connection_id and p.merchant_account = r.merchant_account
              where r.received_at >= ${new Date(`${day}T00:00:00Z`)} and r.received_at < ${endOf(day)}
  `;
}

function isIncomplete(day: string, dayEnds: Date, again: Date): Fragment {
  return fragment`and not exists (
             select from reconciliations r
              where r.account_id = a.id and r.livemode = m.livemode and r.day = ${day}
                and (r.complete_until >= ${dayEnds} or r.checked_at > ${again})
           )`;
}

export type ReportedDay = { readonly scope: Scope; readonly day: string };

/**
 * Returns the live-mode days for which a settlement report was applied after the day's last reconciliation. The report
 * may be new, a correction or late. Of the days that follow `after`, returns the first `limit`, oldest day first.
 */
export async function listReportedDays(
  read: Sql,
  from: Date,
  after: ReportedDay | null,
  limit: number,
): Promise<ReportedDay[]> {
  const rows = await read<{ id: string; day: string }>`
    select p.account_id as id, (r.received_at at time zone 'UTC')::date::text as day
      from settlement_reports r
      join processor_assignments p on p.connection_id = r.connection_id and p.merchant_account = r.merchant_account
     where r.applied_at >= ${from}
       and not exists (
         select from reconciliations d
          where d.account_id = p.account_id and d.livemode
            and d.day = (r.received_at at time zone 'UTC')::date and d.checked_at >= r.applied_at
       )
       ${
         after
           ? fragment`and ((r.received_at at time zone 'UTC')::date, p.account_id) > (${after.day}::date, ${uuidOf(after.scope.account)})`
           : fragment``
       }
     group by 1, 2
     order by 2, 1
     limit ${limit}
  `;
  return rows.map(({ id, day }) => ({
    scope: { account: idFromUuid("acct", id), livemode: true },
    day,
  }));
}

type Row = {
  account_id: string;
  livemode: boolean;
  id: string;
  day: string;
  status: ReconciliationStatus;
  processor: string;
  checked_at: Date;
  complete_until: Date | null;
  failure_message: string | null;
  open_count: number;
  in_transit_count: number;
  settled: Settled[];
};

function toReconciliation(row: Row): Reconciliation {
  return {
    id: idFromUuid("rec", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    day: row.day,
    processor: row.processor,
    checkedAt: row.checked_at,
    outcome: toOutcome(row),
  };
}

function toOutcome(row: Row): Outcome {
  if (row.status === "file_missing" || row.status === "file_unreadable") {
    return { status: row.status, message: row.failure_message as string };
  }
  return {
    status: row.status,
    completeUntil: row.complete_until as Date,
    open: row.open_count,
    inTransit: row.in_transit_count,
    settled: row.settled,
  };
}

/** The time for which the result of a day is kept. */
export const reconciliationLifeMs = 5 * 366 * 24 * 60 * 60 * 1000;

/** Deletes up to `limit` results of days before `before`. Returns the number deleted. */
export async function deleteOldReconciliations(
  tx: Tx,
  before: string,
  limit: number,
): Promise<number> {
  const oldRows = fragment`
    select account_id, livemode, day
      from reconciliations
     where account_id = a.id and livemode = mode.livemode and day < ${before}`;
  const rows = await tx`
    delete from reconciliations r
     using (${rowsOfEachScope(oldRows, limit)}) old
     where r.account_id = old.account_id and r.livemode = old.livemode and r.day = old.day
    returning r.id
  `;
  return rows.length;
}
