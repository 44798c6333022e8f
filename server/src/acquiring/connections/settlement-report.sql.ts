import {
  type AccountId,
  type ChargeId,
  type ConnectionId,
  idFromNullableUuid,
  idFromUuid,
  uuidOf,
} from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import {
  bigints,
  integers,
  rowsOf,
  texts,
  timestamps,
  uuids,
} from "../../platform/database/array-parameter.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import type { SettlementLine, SettlementType } from "../settlement-file.ts";
import type { SettlementReport, SettlementReportLine } from "../settlement-report.ts";
import { caseIdOf, secondCaseIdOf } from "./dispute-case-id.ts";

/** The number of lines per statement. Larger batches would block the event loop while they are encoded. */
const lineBatchSize = 1_000;

/**
 * Stores the report of a batch. The acquirer can correct a batch, so a report with different content replaces the
 * stored one, and its lines are matched and posted again. An incomplete report never replaces a complete one: the
 * stored report is kept, and the result is `kept`. A repeated report is also applied again, but only missing lines are
 * posted. If payments of the batch are archived, a correction cannot be matched with them, and the result is `archived`.
 */
export async function storeSettlementReport(
  tx: Tx,
  connection: ConnectionId,
  report: SettlementReport,
  received: { readonly fileName: string; readonly at: Date },
): Promise<"stored" | "repeated" | "corrected" | "kept" | "archived"> {
  const { merchantAccount, batch, lines, sha256, postedFrom, postedUntil, sums, problem } = report;
  const key = { connection, merchantAccount, batch };
  const ofBatch = ofReport(key);
  const [known] = await tx<{ sha256: string; line_count: number }>`
    select sha256, line_count from settlement_reports where ${ofBatch} for update
  `;
  if (known && known.sha256 !== sha256 && !(await hasAllLines(tx, key, known.line_count))) {
    return "archived";
  }
  const [stored] = await tx<{ revision: number }>`
    insert into settlement_reports as r (
      connection_id, merchant_account, batch, file_name, sha256, received_at, line_count, posted_from, posted_until,
      sums, problem, due_at
    ) values (
      ${uuidOf(connection)}, ${merchantAccount}, ${batch}, ${received.fileName}, ${sha256}, ${received.at},
      ${lines.length}, ${postedFrom}, ${postedUntil}, ${JSON.stringify(sums)}, ${problem}, ${received.at}
    )
        on conflict on constraint settlement_reports_pkey do update
       set revision = r.revision + 1, file_name = excluded.file_name, sha256 = excluded.sha256,
           line_count = excluded.line_count, posted_from = excluded.posted_from, posted_until = excluded.posted_until,
           sums = excluded.sums, problem = excluded.problem, warning = null, ${dueAgain(received.at)}
     where r.sha256 <> excluded.sha256 and (excluded.problem is null or r.problem is not null)
    returning revision
  `;
  if (!stored) {
    const [same] = await tx`
      update settlement_reports r
         set ${dueAgain(received.at)}
       where ${ofBatch} and sha256 = ${sha256}
      returning batch
    `;
    return same ? "repeated" : "kept";
  }
  await applyDuplicatesAgain(tx, key, received.at);
  await tx`delete from settlement_report_lines where ${ofBatch}`;
  for (let from = 0; from < lines.length; from += lineBatchSize) {
    await insertLines(tx, connection, report, lines.slice(from, from + lineBatchSize));
  }
  return stored.revision === 1 ? "stored" : "corrected";
}

/**
 * Returns whether all lines of the report are stored. The lines of archived payments are deleted, and the amounts of the
 * report can then no longer be computed.
 */
export async function hasAllLines(read: Sql, report: ReportKey, lines: number): Promise<boolean> {
  const [row] = await read<{ stored: number }>`
    select count(*)::integer as stored from settlement_report_lines where ${ofReport(report)}
  `;
  return row?.stored === lines;
}

/**
 * Returns the column assignments of an `update` that makes the report `r` due again at `at`, even if a failure has
 * delayed its next attempt. The new time always differs from the previous one, so that a server that is already
 * applying the report does not mark it as applied (`markReportApplied`).
 */
function dueAgain(at: Date): Fragment {
  return fragment`
    applied_at = null, failures = 0, failure = null,
    due_at = case when r.failures > 0 and r.due_at > ${at} then ${at}::timestamptz
                  else greatest(${at}::timestamptz, r.due_at + interval '1 millisecond') end`;
}

/**
 * Makes other reports due again if they contain a payment that a line of this report has released from the pending
 * balance. The corrected report may no longer contain the payment. The other report's line must then release it. The
 * other reports come due after the correction, so that the correction is applied first and keeps the payments that it
 * still contains.
 */
async function applyDuplicatesAgain(tx: Tx, report: ReportKey, now: Date): Promise<void> {
  const { connection, merchantAccount, batch } = report;
  await tx`
    update settlement_reports r
       set ${dueAgain(new Date(now.getTime() + 1))}
     where r.connection_id = ${uuidOf(connection)} and r.merchant_account = ${merchantAccount}
       and r.batch <> ${batch} and r.problem is null
       and r.batch in (
         select e.batch
           from settlement_report_lines l
           join settlement_report_lines e on e.account_id = l.account_id and e.charge_id = l.charge_id
          where l.connection_id = ${uuidOf(connection)} and l.merchant_account = ${merchantAccount}
            and l.batch = ${batch} and l.releases
            and e.connection_id = l.connection_id and e.merchant_account = l.merchant_account
            and e.settlement_type = 'capture' and e.matched and not e.releases
       )
  `;
}

async function insertLines(
  tx: Tx,
  connection: ConnectionId,
  { merchantAccount, batch }: SettlementReport,
  lines: readonly SettlementReportLine[],
): Promise<void> {
  const rows = rowsOf({
    line: integers(lines, ({ line }) => line),
    type: texts(lines, ({ typeText }) => typeText),
    settlement_type: texts(lines, (line) => transaction(line)?.settlementType),
    charge_id: uuids(lines, ({ charge }) => charge),
    operation_id: uuids(lines, ({ operation }) => operation),
    case_id: uuids(lines, (line) => caseOf(connection, line)),
    payment_reference: texts(lines, ({ paymentReference }) => paymentReference),
    modification_reference: texts(lines, ({ modificationReference }) => modificationReference),
    posted_at: timestamps(lines, ({ postedAt }) => postedAt),
    gross_currency: texts(lines, (line) => transaction(line)?.gross.currency),
    gross: bigints(lines, (line) => transaction(line)?.gross.amountMinor),
    net_currency: texts(lines, ({ net }) => net.currency),
    net: bigints(lines, ({ net }) => net.amountMinor),
    fee: bigints(lines, (line) => transaction(line)?.feeMinor ?? 0),
  });
  await tx`
    insert into settlement_report_lines (
      connection_id, merchant_account, batch, line, type, settlement_type, charge_id, operation_id, case_id,
      payment_reference, modification_reference, posted_at, gross_currency, gross, net_currency, net, fee
    )
    select ${uuidOf(connection)}, ${merchantAccount}, ${batch}, l.*
      from ${rows} as l
  `;
}

function transaction(line: SettlementReportLine) {
  return line.kind === "transaction" ? line : null;
}

function caseOf(connection: ConnectionId, line: SettlementReportLine): string | null {
  const type = transaction(line)?.settlementType;
  if (!type?.includes("chargeback") || line.modificationReference === null) return null;
  const toCase = type === "second_chargeback" ? secondCaseIdOf : caseIdOf;
  return toCase(connection, line.modificationReference);
}

/** The batch of a report. */
export type ReportKey = {
  readonly connection: ConnectionId;
  readonly merchantAccount: string;
  readonly batch: string;
};

/** Returns the SQL condition that matches a report or its lines. */
function ofReport({ connection, merchantAccount, batch }: ReportKey): Fragment {
  return fragment`connection_id = ${uuidOf(connection)} and merchant_account = ${merchantAccount} and batch = ${batch}`;
}

/**
 * Serializes the matching of report lines for a merchant account, so that a charge is released from the pending balance
 * only once. Without this lock, two reports with the same charge could both release it, or a report could release it
 * while the late failure of its capture is recorded. The lock ends with the transaction.
 */
export async function lockMatching(
  tx: Tx,
  { connection, merchantAccount }: Pick<ReportKey, "connection" | "merchantAccount">,
): Promise<void> {
  await tx`select pg_advisory_xact_lock(${lockSpace}, hashtext(${`${connection} ${merchantAccount}`}))`;
}

const lockSpace = 0x73746c6d;

/**
 * If a report has released the charge from the pending balance, makes the report due again, so that it reverses the
 * release. Returns true if the charge is in the pending balance already, or returns to it when the report is applied
 * again. Returns false if lines of the report are archived, because the report is then never posted again. The caller
 * must hold the lock of `lockMatching`.
 */
export async function takeBackRelease(
  tx: Tx,
  account: AccountId,
  charge: ChargeId,
  now: Date,
): Promise<boolean> {
  const [row] = await tx<ReportKeyRow & { line_count: number }>`
    select r.connection_id, r.merchant_account, r.batch, r.line_count
      from settlement_report_lines l
      join settlement_reports r using (connection_id, merchant_account, batch)
     where l.account_id = ${uuidOf(account)} and l.charge_id = ${uuidOf(charge)} and l.releases
  `;
  if (!row) return true;
  const report = reportKeyOf(row);
  if (!(await hasAllLines(tx, report, row.line_count))) return false;
  await tx`update settlement_reports r set ${dueAgain(now)} where ${ofReport(report)}`;
  return true;
}

/** A batch with lines of an account, and the time at which its report was received. */
export type BatchOfAccount = ReportKey & { readonly receivedAt: Date };

/**
 * Returns the batches that have lines of the account and a complete report received in the period. A returned batch has
 * all lines of the account, because the lines of a report are matched with their accounts in one transaction.
 */
export async function listBatchesOf(
  read: Sql,
  account: AccountId,
  { from, until }: { readonly from: Date; readonly until: Date },
): Promise<BatchOfAccount[]> {
  const rows = await read<ReportKeyRow & { received_at: Date }>`
    select r.connection_id, r.merchant_account, r.batch, r.received_at
      from settlement_reports r
     where r.received_at >= ${from} and r.received_at < ${until} and r.problem is null
       and exists (
             select from settlement_report_lines l
              where l.account_id = ${uuidOf(account)} and l.connection_id = r.connection_id
                and l.merchant_account = r.merchant_account and l.batch = r.batch
           )
     order by r.received_at, r.connection_id, r.merchant_account, r.batch
  `;
  return rows.map((row) => ({ ...reportKeyOf(row), receivedAt: row.received_at }));
}

/** A line in the form of the settlement file. */
export type ReportLine = Omit<SettlementLine, "postedAt"> & { readonly line: number };

const listedLines = 5_000;

/** Returns the next transactions of the account in a batch, after the line with the number `after`. */
export async function listReportLines(
  read: Sql,
  account: AccountId,
  report: ReportKey,
  after: number,
): Promise<ReportLine[]> {
  const rows = await read<LineRow>`
    select line, settlement_type, charge_id, operation_id, case_id, payment_reference, modification_reference,
           gross_currency, gross, net_currency, net, fee
      from settlement_report_lines
     where account_id = ${uuidOf(account)} and ${ofReport(report)} and line > ${after} and settlement_type is not null
     order by line
     limit ${listedLines}
  `;
  return rows.map((row) => ({
    line: row.line,
    type: row.settlement_type,
    reference: referenceOf(row),
    charge: idFromNullableUuid("ch", row.charge_id) ?? plain(row.payment_reference),
    currency: row.gross_currency,
    amountMinor: row.gross,
    feeMinor: feeInGross(row),
  }));
}

type LineRow = {
  line: number;
  settlement_type: SettlementType;
  charge_id: string | null;
  operation_id: string | null;
  case_id: string | null;
  payment_reference: string | null;
  modification_reference: string | null;
  gross_currency: Currency;
  gross: number;
  net_currency: Currency;
  net: number;
  fee: number;
};

/** Returns our reference for the line, or the acquirer's reference if we have none. */
function referenceOf(row: LineRow): string {
  const atAcquirer = row.modification_reference ?? row.payment_reference;
  switch (row.settlement_type) {
    case "capture":
    case "capture_reversal":
      return idFromNullableUuid("ch", row.charge_id) ?? plain(row.payment_reference);
    case "refund":
    case "refund_return":
      return idFromNullableUuid("op", row.operation_id) ?? plain(atAcquirer);
    default:
      return row.case_id ?? plain(atAcquirer);
  }
}

/**
 * Returns the fee in the currency of the payment, rounded half up. The exchange rate is the ratio of the line's own
 * amounts.
 */
function feeInGross({ gross, gross_currency, net, net_currency, fee }: LineRow): number {
  if (gross_currency === net_currency) return fee;
  const beforeFee = net + fee;
  return beforeFee === 0 ? 0 : Math.round((fee * gross) / beforeFee);
}

/** Returns an acquirer's reference without the characters that a settlement file cannot contain. */
function plain(reference: string | null): string {
  return (reference ?? "").replace(/[^0-9A-Za-z_-]/g, "");
}

/** A complete report whose lines are not posted yet. */
export type UnappliedReport = ReportKey & {
  readonly revision: number;
  readonly lines: number;
  readonly dueAt: Date;
  /** The number of failed attempts to apply the report. */
  readonly failures: number;
};

/** Returns the reports that are due to be applied, the longest overdue first. */
export async function listDueReports(
  read: Sql,
  now: Date,
  limit: number,
): Promise<UnappliedReport[]> {
  const rows = await read<
    ReportKeyRow & { revision: number; line_count: number; due_at: Date; failures: number }
  >`
    select connection_id, merchant_account, batch, revision, line_count, due_at, failures
      from settlement_reports
     where applied_at is null and problem is null and due_at <= ${now}
     order by due_at, batch
     limit ${limit}
  `;
  return rows.map((row) => ({
    ...reportKeyOf(row),
    revision: row.revision,
    lines: row.line_count,
    dueAt: row.due_at,
    failures: row.failures,
  }));
}

/**
 * Locks the report, so that no correction replaces its lines while they are posted. Returns false if the report was
 * applied, replaced or made due again since it was read. The lines of a correction are not matched yet.
 */
export async function lockUnchangedReport(tx: Tx, report: UnappliedReport): Promise<boolean> {
  const rows = await tx`
    select from settlement_reports
     where ${ofReport(report)} and revision = ${report.revision} and due_at = ${report.dueAt}
       and applied_at is null
       for no key update
  `;
  return rows.length === 1;
}

/** Marks the report as applied, unless it was replaced or made due again in the meantime. */
export async function markReportApplied(
  tx: Tx,
  report: UnappliedReport,
  { warning, now }: { readonly warning: string | null; readonly now: Date },
): Promise<void> {
  await tx`
    update settlement_reports
       set applied_at = ${now}, warning = ${warning}, failures = 0, failure = null
     where ${ofReport(report)} and revision = ${report.revision} and due_at = ${report.dueAt}
       and problem is null
  `;
}

/**
 * Records a failed attempt to apply the report, and the time of the next attempt. Returns false if another server has
 * applied the report or recorded a failure, or if a correction has replaced the report.
 */
export async function recordReportFailure(
  tx: Tx,
  report: UnappliedReport,
  { failure, dueAt }: { readonly failure: string; readonly dueAt: Date },
): Promise<boolean> {
  const rows = await tx`
    update settlement_reports
       set failures = failures + 1, failure = ${failure}, due_at = ${dueAt}
     where ${ofReport(report)} and revision = ${report.revision} and failures = ${report.failures}
       and applied_at is null and problem is null
    returning batch
  `;
  return rows.length === 1;
}

/** The columns that identify a report. */
export type ReportKeyRow = { connection_id: string; merchant_account: string; batch: string };

export function reportKeyOf(row: ReportKeyRow): ReportKey {
  return {
    connection: idFromUuid("con", row.connection_id),
    merchantAccount: row.merchant_account,
    batch: row.batch,
  };
}
