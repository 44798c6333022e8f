import type { OneOrMore } from "@florin/contract/list.ts";
import type { DifferenceKind, DifferenceStatus } from "@florin/contract/reconciliation.ts";
import {
  firstUuidAt,
  idFromNullableUuid,
  idFromUuid,
  newId,
  type ReconciliationId,
  uuidOf,
} from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import { jsons, rowsOf, texts, uuids } from "../platform/database/array-parameter.ts";
import { rowsOfEachScope } from "../platform/database/each-scope.ts";
import { fragment, type Sql, type Tx } from "../platform/database/sql.ts";
import { isOneOf, type Page, pageRows } from "../platform/http/list.ts";
import type { Finding, Found } from "./compare.ts";
import type { Difference } from "./difference.ts";

/**
 * Inserts or updates differences. A difference that exists keeps its ID and the ID of the reconciliation that first
 * found it.
 */
export async function storeFound(
  tx: Tx,
  scope: Scope,
  by: ReconciliationId,
  found: readonly Found[],
  now: Date,
): Promise<void> {
  const differences = rowsOf({
    id: uuids(found, () => newId("dif", now)),
    status: texts(found, ({ status }) => status),
    kind: texts(found, ({ kind }) => kind),
    noun: texts(found, ({ noun }) => noun),
    subject: uuids(found, ({ subject }) => subject),
    reference: texts(found, ({ reference }) => reference),
    payment: jsons(found, ({ payment }) => payment),
    acquirer: jsons(found, ({ acquirer }) => acquirer),
    ledger: jsons(found, ({ ledger }) => ledger),
  });
  await tx`
    insert into reconciliation_differences (
      account_id, livemode, found_by, id, status, kind, noun, subject, reference, payment, acquirer, ledger
    )
    select ${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(by)}, f.*
      from ${differences} as f
        on conflict (account_id, livemode, noun, subject, kind) where status <> 'closed' do update
       set status = excluded.status, reference = excluded.reference, payment = excluded.payment,
           acquirer = excluded.acquirer, ledger = excluded.ledger
  `;
}

/** Closes the differences that this reconciliation did not find again. */
export async function closeOthers(
  tx: Tx,
  scope: Scope,
  by: ReconciliationId,
  found: readonly Found[],
): Promise<void> {
  const seen = rowsOf({
    kind: texts(found, ({ kind }) => kind),
    noun: texts(found, ({ noun }) => noun),
    subject: uuids(found, ({ subject }) => subject),
  });
  await tx`
    update reconciliation_differences d
       set status = 'closed', closed_by = ${uuidOf(by)}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and status <> 'closed'
       and not exists (
         select from ${seen} as f
          where f.kind = d.kind and f.noun = d.noun and f.subject = d.subject
       )
  `;
}

export type DifferenceFilter = {
  /** Selects the differences that this reconciliation was the first to find, and those that it closed. */
  readonly reconciliation?: ReconciliationId | undefined;
  readonly status?: OneOrMore<DifferenceStatus> | undefined;
  readonly kind?: OneOrMore<DifferenceKind> | undefined;
};

export async function listDifferences(
  read: Sql,
  scope: Scope,
  { reconciliation, status, kind }: DifferenceFilter,
  page: Page,
): Promise<Difference[]> {
  const rows = await read<Row>`
    select ${columns}
      from reconciliation_differences
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${
         reconciliation
           ? fragment`and (found_by = ${uuidOf(reconciliation)} or closed_by = ${uuidOf(reconciliation)})`
           : fragment``
       }
       ${isOneOf(fragment`status`, status)}
       ${isOneOf(fragment`kind`, kind)}
       ${pageRows(page)}
  `;
  return rows.map(toDifference);
}

/** Returns the number of the account's differences with this status. */
export async function countDifferences(
  read: Sql,
  scope: Scope,
  status: DifferenceStatus,
): Promise<number> {
  const [row] = await read<{ count: number }>`
    select count(*)::int as count
      from reconciliation_differences
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and status = ${status}
  `;
  return row?.count ?? 0;
}

/** Returns the newest open differences that were found since `since`, and their number. Covers all accounts. */
export async function listDifferencesSince(
  read: Sql,
  since: Date,
  limit: number,
): Promise<{ readonly total: number; readonly listed: readonly Difference[] }> {
  const rows = await read<Row & { total: number }>`
    select ${columns}, (count(*) over ())::int as total
      from reconciliation_differences
     where status = 'open' and id >= ${firstUuidAt(since)}
     order by id desc
     limit ${limit}
  `;
  return { total: rows[0]?.total ?? 0, listed: rows.map(toDifference) };
}

const columns = fragment`
  account_id, livemode, id, found_by, closed_by, status, kind, noun, subject, reference, payment, acquirer, ledger
`;

type Row = {
  account_id: string;
  livemode: boolean;
  id: string;
  found_by: string;
  closed_by: string | null;
  status: DifferenceStatus;
} & Finding;

function toDifference(row: Row): Difference {
  const { kind, noun, subject, reference, payment, acquirer, ledger } = row;
  return {
    id: idFromUuid("dif", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    status: row.status,
    foundBy: idFromUuid("rec", row.found_by),
    closedBy: idFromNullableUuid("rec", row.closed_by),
    ...{ kind, noun, subject, reference, payment, acquirer, ledger },
  };
}

/** Deletes up to `limit` closed differences with an ID below `before`. Returns the number deleted. */
export async function deleteOldDifferences(tx: Tx, before: string, limit: number): Promise<number> {
  const oldRows = fragment`
    select account_id, livemode, id
      from reconciliation_differences
     where account_id = a.id and livemode = mode.livemode and id < ${before} and status = 'closed'`;
  const rows = await tx`
    delete from reconciliation_differences d
     using (${rowsOfEachScope(oldRows, limit)}) old
     where d.account_id = old.account_id and d.livemode = old.livemode and d.id = old.id and d.status = 'closed'
    returning d.id
  `;
  return rows.length;
}
