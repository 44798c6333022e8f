import { firstUuidAt, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { constant } from "./columns.ts";

/*
 * Selects, reads and deletes the payments that are moved to an archive. The statement that deletes rows returns them,
 * so that the caller can compare them with the archive before the transaction commits.
 */

/** The UUIDs of the objects of one archive. Each archived row of another table belongs to one of these objects. */
export type ArchiveBatch = {
  readonly scope: Scope;
  readonly charges: readonly string[];
  readonly sessions: readonly string[];
  readonly decisions: readonly string[];
};

type ArchivedTable = {
  readonly name: string;
  /** The columns of the primary key. The rows in the archive are in the order of this key. */
  readonly key: readonly string[];
  /** The condition that selects the rows `t` of a batch. */
  readonly belongs: (batch: ArchiveBatch) => Fragment;
};

const inScope = ({ account, livemode }: Scope, alias = "t"): Fragment =>
  fragment`${constant(alias)}.account_id = ${uuidOf(account)} and ${constant(alias)}.livemode = ${livemode}`;

const ofCharges =
  (column: string) =>
  ({ scope, charges }: ArchiveBatch): Fragment =>
    fragment`${inScope(scope)} and t.${constant(column)} = any (${charges}::uuid[])`;

const ofMerchant =
  (column: string) =>
  ({ scope, charges }: ArchiveBatch): Fragment =>
    fragment`t.merchant = ${uuidOf(scope.account)} and not ${scope.livemode}::boolean
       and t.${constant(column)} = any (${charges}::uuid[])`;

/**
 * The archived tables, in the order in which their rows are deleted. The condition of a table reads tables that are
 * later in this list, so charges, operations and disputes are last.
 */
const archivedTables: readonly ArchivedTable[] = [
  {
    name: "ledger_transfers",
    key: ["entry_id", "line"],
    belongs: ({ scope, charges }) => fragment`${inScope(scope)} and t.entry_id in (
         select unnest(${charges}::uuid[])
         union all
         select c.failure_entry_id from charges c
          where ${inScope(scope, "c")} and c.id = any (${charges}::uuid[]) and c.failure_entry_id is not null
         union all
         select unnest(array[o.id, o.failure_entry_id]) from operations o
          where ${inScope(scope, "o")} and o.charge_id = any (${charges}::uuid[])
         union all
         select unnest(array[d.id, d.reversal_entry_id]) from disputes d
          where ${inScope(scope, "d")} and d.charge_id = any (${charges}::uuid[])
         union all
         -- The loss of a dispute is a separate entry, which is found by its kind. With the second condition on the
         -- kind, Postgres can use the partial index ledger_transfers_by_kind.
         select l.entry_id from ledger_transfers l
          where ${inScope(scope, "l")} and l.kind = 'dispute_loss' and l.kind not in ('charge', 'fee')
            and l.source_id in (select d.id from disputes d
                                 where ${inScope(scope, "d")} and d.charge_id = any (${charges}::uuid[]))
       )`,
  },
  {
    name: "settlement_lines",
    key: ["file_id", "line"],
    belongs: ({ scope, charges }) => fragment`${inScope(scope)} and (t.noun, t.subject) in (
         select 'charge', unnest(${charges}::uuid[])
         union all
         select 'refund', o.id from operations o
          where ${inScope(scope, "o")} and o.charge_id = any (${charges}::uuid[])
         union all
         select 'dispute', d.network_case from disputes d
          where ${inScope(scope, "d")} and d.charge_id = any (${charges}::uuid[])
       )`,
  },
  {
    name: "settlement_report_lines",
    key: ["connection_id", "merchant_account", "batch", "line"],
    belongs: ({ scope, charges }) => fragment`t.account_id = ${uuidOf(scope.account)}
         and ${scope.livemode}::boolean and t.charge_id = any (${charges}::uuid[])`,
  },
  {
    name: "authentications",
    key: ["charge_id"],
    belongs: ({ scope, charges, sessions }) => fragment`${inScope(scope)} and t.charge_id in (
         select unnest(${charges}::uuid[])
         union all
         select v.id from card_verifications v
          where ${inScope(scope, "v")} and v.checkout_session_id = any (${sessions}::uuid[])
       )`,
  },
  { name: "charge_attempts", key: ["charge_id", "assignment_id"], belongs: ofCharges("charge_id") },
  {
    name: "decisions",
    key: ["id"],
    belongs: ({ scope, charges, decisions }) => fragment`${inScope(scope)} and t.id in (
         select unnest(${decisions}::uuid[])
         union all
         select c.decision_id from charges c
          where ${inScope(scope, "c")} and c.id = any (${charges}::uuid[]) and c.decision_id is not null
       )`,
  },
  {
    name: "payment_methods",
    key: ["id"],
    // A card that could be charged only in its own session, and that was erased when that session ended.
    belongs: ({ scope, sessions }) => fragment`${inScope(scope)} and t.customer_id is null
         and t.checkout_session_id = any (${sessions}::uuid[])
         and not exists (select from vault_cards v where ${inScope(scope, "v")} and v.id = t.id)`,
  },
  {
    name: "card_verifications",
    key: ["id"],
    belongs: ({ scope, sessions }) =>
      fragment`${inScope(scope)} and t.checkout_session_id = any (${sessions}::uuid[])`,
  },
  {
    name: "checkout_sessions",
    key: ["id"],
    belongs: ({ scope, sessions }) =>
      fragment`${inScope(scope)} and t.id = any (${sessions}::uuid[])`,
  },
  {
    name: "simulator.operations",
    key: ["reference"],
    belongs: ofMerchant("authorization_reference"),
  },
  { name: "simulator.operation_behaviors", key: ["reference"], belongs: ofMerchant("reference") },
  { name: "simulator.cases", key: ["id"], belongs: ofMerchant("reference") },
  { name: "simulator.authorizations", key: ["reference"], belongs: ofMerchant("reference") },
  { name: "disputes", key: ["id"], belongs: ofCharges("charge_id") },
  { name: "operations", key: ["id"], belongs: ofCharges("charge_id") },
  { name: "charges", key: ["id"], belongs: ofCharges("id") },
];

/** The rows of a table as text, in the order of the key. */
export type ArchivedRows = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
};

/** Makes the text of archived values independent of the settings of the connection. */
async function fixTextFormat(tx: Tx): Promise<void> {
  await tx`select set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true),
                  set_config('intervalstyle', 'iso_8601', true), set_config('bytea_output', 'hex', true)`;
}

/** Reads the rows of a batch from all tables, in one snapshot. Call it first in its transaction. */
export async function readArchivedRows(tx: Tx, batch: ArchiveBatch): Promise<ArchivedRows[]> {
  await tx`set transaction isolation level repeatable read, read only`;
  await fixTextFormat(tx);
  const all: ArchivedRows[] = [];
  for (const table of archivedTables) {
    const columns = await columnsOf(tx, table.name);
    const rows = await tx<{ cells: (string | null)[] }>`
      select ${cells(columns)} as cells from ${constant(table.name)} t where ${table.belongs(batch)}
    `;
    all.push({ table: table.name, columns, rows: inOrder(rows, columns, table.key) });
  }
  return all;
}

/** Deletes the rows of a batch from all tables and returns them. Locks the charges first. */
export async function deleteArchivedRows(tx: Tx, batch: ArchiveBatch): Promise<ArchivedRows[]> {
  await fixTextFormat(tx);
  const { scope, charges } = batch;
  await tx`
    select id from charges t where ${inScope(scope)} and t.id = any (${charges}::uuid[]) order by id for update
  `;
  const all: ArchivedRows[] = [];
  for (const table of archivedTables) {
    const columns = await columnsOf(tx, table.name);
    const rows = await tx<{ cells: (string | null)[] }>`
      delete from ${constant(table.name)} t where ${table.belongs(batch)} returning ${cells(columns)} as cells
    `;
    all.push({ table: table.name, columns, rows: inOrder(rows, columns, table.key) });
  }
  return all;
}

async function columnsOf(tx: Tx, table: string): Promise<string[]> {
  const rows = await tx<{ name: string }>`
    select attname as name
      from pg_attribute
     where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
     order by attnum
  `;
  return rows.map(({ name }) => name);
}

function cells(columns: readonly string[]): Fragment {
  return fragment`array[${constant(columns.map((name) => `t."${name}"::text`).join(", "))}]`;
}

function inOrder(
  rows: readonly { readonly cells: (string | null)[] }[],
  columns: readonly string[],
  key: readonly string[],
): (string | null)[][] {
  const places = key.map((name) => columns.indexOf(name));
  const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
  return rows
    .map(({ cells }) => cells)
    .sort((one, other) =>
      places.reduce(
        (found, place) => found || compare(one[place] as string, other[place] as string),
        0,
      ),
    );
}

/**
 * True for a charge `c` whose payment can no longer change: the charge, its captures, refunds and disputes have been
 * final since before the limit, and no difference with the acquirer is open.
 */
const isFinal = (scope: Scope, before: Date): Fragment => fragment`(
    c.id < ${firstUuidAt(before)} and c.status in ('succeeded', 'failed', 'canceled') and c.due_at is null
    and c.finalized_at < ${before}
    and not exists (
      select from operations o
       where ${inScope(scope, "o")} and o.charge_id = c.id
         and (o.status = 'processing' or o.due_at is not null or o.finalized_at >= ${before}))
    and not exists (
      select from disputes d
       where ${inScope(scope, "d")} and d.charge_id = c.id
         and (d.status not in ('won', 'lost') or d.due_at is not null or d.response_due_at is not null
              or d.closed_at >= ${before}))
    and not exists (
      select from authentications a
       where ${inScope(scope, "a")} and a.charge_id = c.id and a.due_at is not null)
    and not exists (
      select from reconciliation_differences r
       where ${inScope(scope, "r")} and r.status <> 'closed'
         and (r.subject = c.id
              or r.subject in (select o.id from operations o where ${inScope(scope, "o")} and o.charge_id = c.id)
              or r.subject in (select d.network_case from disputes d
                                where ${inScope(scope, "d")} and d.charge_id = c.id)))
    -- A live payment must be settled. Until then, its acquirer has not paid it.
    and (c.assignment_id is null or c.status <> 'succeeded' or exists (
      select from settlement_report_lines l
       where l.account_id = ${uuidOf(scope.account)} and l.charge_id = c.id and l.releases))
    and not exists (
      select from idempotency_keys k
       where ${inScope(scope, "k")} and k.key = c.idempotency_key and k.charge_id = c.id)
  )`;

/**
 * The position of the search for archivable objects: for each kind of object, the ID after which the search continues.
 */
export type ArchivePlace = {
  readonly charge: string;
  readonly session: string;
  readonly decision: string;
};

const nil = "00000000-0000-0000-0000-000000000000";
export const archiveStart: ArchivePlace = { charge: nil, session: nil, decision: nil };

/**
 * Returns up to `limit` payments that can be archived, with their checkout sessions, and unused sessions and decisions.
 * `next` is null if there are no more. The charges of a session are archived together.
 */
export async function selectArchiveBatch(
  read: Sql,
  scope: Scope,
  {
    before,
    after,
    limit,
  }: { readonly before: Date; readonly after: ArchivePlace; readonly limit: number },
): Promise<{ readonly batch: ArchiveBatch; readonly next: ArchivePlace | null }> {
  const candidates = await read<{ id: string; session: string | null; final: boolean }>`
    select c.id, c.checkout_session_id as session, ${isFinal(scope, before)} as final
      from (select * from charges t
             where ${inScope(scope)} and t.id > ${after.charge} and t.id < ${firstUuidAt(before)}
             order by t.id limit ${limit}) c
     order by c.id
  `;
  const final = candidates.filter((one) => one.final);
  const ofSessions = [...new Set(final.flatMap(({ session }) => session ?? []))];
  const sessions = await read<{ id: string; charges: string[] }>`
    select s.id, array_agg(c.id order by c.id) as charges
      from checkout_sessions s
      join charges c on ${inScope(scope, "c")} and c.checkout_session_id = s.id
     where ${inScope(scope, "s")} and s.id = any (${ofSessions}::uuid[]) and s.id < ${firstUuidAt(before)}
       and s.status in ('complete', 'expired', 'canceled', 'failed') and s.card_count = 0
     group by s.id
    having bool_and(${isFinal(scope, before)})
  `;
  const unused = await read<{ id: string; final: boolean }>`
    select s.id, (s.status in ('expired', 'canceled', 'failed') or (s.status = 'complete' and s.mode = 'setup'))
                 and s.charge_id is null and s.card_count = 0
                 and not exists (select from card_verifications v
                                   left join authentications a on ${inScope(scope, "a")} and a.charge_id = v.id
                                  where ${inScope(scope, "v")} and v.checkout_session_id = s.id
                                    and (v.due_at is not null or a.due_at is not null))
                 and not exists (select from charges c
                                  where ${inScope(scope, "c")} and c.checkout_session_id = s.id) as final
      from (select * from checkout_sessions t
             where ${inScope(scope)} and t.id > ${after.session} and t.id < ${firstUuidAt(before)}
             order by t.id limit ${limit}) s
     order by s.id
  `;
  const decisions = await read<{ id: string; final: boolean }>`
    select d.id, d.review is distinct from 'open'
                 and not exists (select from charges c where ${inScope(scope, "c")} and c.decision_id = d.id) as final
      from (select * from decisions t
             where ${inScope(scope)} and t.id > ${after.decision} and t.id < ${firstUuidAt(before)}
             order by t.id limit ${limit}) d
     order by d.id
  `;
  const charges = new Set([
    ...final.flatMap(({ id, session }) => (session === null ? [id] : [])),
    ...sessions.flatMap((session) => session.charges),
  ]);
  const idsOf = (rows: readonly { id: string; final: boolean }[]) =>
    rows.flatMap((row) => (row.final ? [row.id] : []));
  const isLast = [candidates, unused, decisions].every(({ length }) => length < limit);
  return {
    batch: {
      scope,
      charges: [...charges].sort(),
      sessions: [...sessions.map(({ id }) => id), ...idsOf(unused)].sort(),
      decisions: idsOf(decisions),
    },
    next: isLast
      ? null
      : {
          charge: candidates.at(-1)?.id ?? after.charge,
          session: unused.at(-1)?.id ?? after.session,
          decision: decisions.at(-1)?.id ?? after.decision,
        },
  };
}

/** Returns whether the balance checkpoints include every transfer up to this ledger position. */
export async function isInCheckpoints(read: Sql, position: number): Promise<boolean> {
  const [row] = await read<{ position: number }>`select position from balance_checkpoint_progress`;
  return (row?.position ?? 0) >= position;
}

export type ArchivedSum = {
  readonly currency: string;
  readonly kind: string;
  readonly debit: string;
  readonly credit: string;
  readonly transfers: number;
  readonly amountMinor: number;
};

/** Adds the sums of the archived transfers to those of earlier archives. */
export async function addArchivedSums(
  tx: Tx,
  { account, livemode }: Scope,
  sums: readonly ArchivedSum[],
): Promise<void> {
  for (const { currency, kind, debit, credit, transfers, amountMinor } of sums) {
    await tx`
      insert into archived_transfers as s (account_id, livemode, currency, kind, debit, credit, transfers, amount)
      values (${uuidOf(account)}, ${livemode}, ${currency}, ${kind}, ${debit}::ledger_account,
              ${credit}::ledger_account, ${transfers}, ${amountMinor})
          on conflict (account_id, livemode, currency, kind, debit, credit) do update
         set transfers = s.transfers + excluded.transfers, amount = s.amount + excluded.amount
    `;
  }
}

/**
 * The numbers of archived charges in one hour and currency that were refunded or disputed. `hour` counts the hours
 * since 1970.
 */
export type ArchivedReversals = {
  readonly hour: number;
  readonly currency: string;
  readonly refunded: number;
  readonly disputed: number;
};

/** Adds the archived charges to the metrics of their hours, because later counts of these hours cannot include them. */
export async function addArchivedReversals(
  tx: Tx,
  { account, livemode }: Scope,
  reversals: readonly ArchivedReversals[],
): Promise<void> {
  for (const { hour, currency, refunded, disputed } of reversals) {
    await tx`
      update payment_hours
         set archived_refunded = archived_refunded + ${refunded}, archived_disputed = archived_disputed + ${disputed}
       where account_id = ${uuidOf(account)} and livemode = ${livemode} and hour = ${hour} and currency = ${currency}
    `;
  }
}

/** Deletes the rows of the search index whose charges were all archived. */
export async function deleteArchivedSearchBlocks(
  tx: Tx,
  scope: Scope,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<void> {
  await tx`
    delete from charge_search t
     where ${inScope(scope)} and t.last_id >= ${first} and t.first_id <= ${last}
       and not exists (
         select from charges c where ${inScope(scope, "c")} and c.id >= t.first_id and c.id <= t.last_id
       )
  `;
}
