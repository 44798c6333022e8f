import { type AccountId, type ConnectionId, idFromUuid, uuidOf } from "../../core/ids.ts";
import {
  bigints,
  integers,
  rowsOf,
  texts,
  uuids,
} from "../../platform/database/array-parameter.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { BatchSums, SettlementReport } from "../adyen/read-report.ts";
import type { SettlementType } from "../settlement-file.ts";

/** A line of a report about a payment, refund or dispute of an account. The amounts have the currency of the payment. */
export type ReportLine = {
  readonly account: AccountId;
  /** The number of the line in the report. */
  readonly line: number;
  readonly type: SettlementType;
  readonly reference: string;
  readonly charge: string;
  readonly currency: string;
  readonly amountMinor: number;
  readonly feeMinor: number;
};

/** A batch of one merchant account at the acquirer. */
export type BatchKey = {
  readonly connection: ConnectionId;
  readonly merchantAccount: string;
  readonly batch: string;
};

/**
 * Stores the report of a batch. A stored report is replaced only if it has a problem. Returns `different` if the batch
 * was received before with other lines. The caller replaces the lines of a stored report in the same transaction.
 */
export async function storeSettlementReport(
  tx: Tx,
  connection: ConnectionId,
  { merchantAccount, batch, lines, sums, problem }: SettlementReport,
  received: { readonly fileName: string; readonly at: Date },
): Promise<"stored" | "repeated" | "different"> {
  const linesText = JSON.stringify(lines);
  const stored = await tx`
    insert into settlement_reports as r (
      connection_id, merchant_account, batch, file_name, received_at, lines, sums, problem
    ) values (
      ${uuidOf(connection)}, ${merchantAccount}, ${batch}, ${received.fileName}, ${received.at}, ${linesText},
      ${JSON.stringify(sums)}, ${problem}
    )
        on conflict on constraint settlement_reports_pkey do update
       set file_name = excluded.file_name, received_at = excluded.received_at, lines = excluded.lines,
           sums = excluded.sums, problem = excluded.problem
     where r.problem is not null
    returning batch
  `;
  if (stored.length > 0) return "stored";
  const same = await tx`
    select
      from settlement_reports
     where connection_id = ${uuidOf(connection)} and merchant_account = ${merchantAccount} and batch = ${batch}
       and lines = ${linesText}::jsonb
  `;
  return same.length > 0 ? "repeated" : "different";
}

const lineBatchSize = 5_000;

/** Replaces the lines of a batch. */
export async function replaceReportLines(
  tx: Tx,
  { connection, merchantAccount, batch }: BatchKey,
  lines: readonly ReportLine[],
): Promise<void> {
  await tx`
    delete from settlement_report_lines
     where connection_id = ${uuidOf(connection)} and merchant_account = ${merchantAccount} and batch = ${batch}
  `;
  for (let from = 0; from < lines.length; from += lineBatchSize) {
    const slice = lines.slice(from, from + lineBatchSize);
    const rows = rowsOf({
      account_id: uuids(slice, ({ account }) => account),
      line: integers(slice, ({ line }) => line),
      type: texts(slice, ({ type }) => type),
      reference: texts(slice, ({ reference }) => reference),
      charge: texts(slice, ({ charge }) => charge),
      currency: texts(slice, ({ currency }) => currency),
      amount: bigints(slice, ({ amountMinor }) => amountMinor),
      fee: bigints(slice, ({ feeMinor }) => feeMinor),
    });
    await tx`
      insert into settlement_report_lines
             (connection_id, merchant_account, batch, account_id, line, type, reference, charge, currency, amount, fee)
      select ${uuidOf(connection)}, ${merchantAccount}, ${batch}, l.*
        from ${rows} as l
    `;
  }
}

/** A batch with lines of an account, and the time at which its report was received. */
export type BatchOfAccount = BatchKey & { readonly receivedAt: Date };

/** Returns the complete batches with lines of the account whose reports were received in the period. */
export async function listBatchesOf(
  read: Sql,
  account: AccountId,
  { from, until }: { readonly from: Date; readonly until: Date },
): Promise<BatchOfAccount[]> {
  const rows = await read<{
    connection_id: string;
    merchant_account: string;
    batch: string;
    received_at: Date;
  }>`
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
  return rows.map((row) => ({
    connection: idFromUuid("con", row.connection_id),
    merchantAccount: row.merchant_account,
    batch: row.batch,
    receivedAt: row.received_at,
  }));
}

/** Returns the next lines of the account in a batch, after the line with the number `after`. */
export async function listReportLines(
  read: Sql,
  account: AccountId,
  { connection, merchantAccount, batch }: BatchKey,
  after: number,
): Promise<Omit<ReportLine, "account">[]> {
  return read<Omit<ReportLine, "account">>`
    select line, type, reference, charge, currency, amount as "amountMinor", fee as "feeMinor"
      from settlement_report_lines
     where account_id = ${uuidOf(account)} and connection_id = ${uuidOf(connection)}
       and merchant_account = ${merchantAccount} and batch = ${batch} and line > ${after}
     order by line
     limit ${lineBatchSize}
  `;
}

/** A received report without its lines. */
export type ReceivedReport = {
  readonly merchantAccount: string;
  readonly batch: string;
  readonly fileName: string;
  readonly receivedAt: Date;
  readonly sums: readonly BatchSums[];
  readonly problem: string | null;
};

const maxListed = 100;

/** Returns the latest reports of the connection, newest first. */
export async function listSettlementReports(
  read: Sql,
  connection: ConnectionId,
): Promise<ReceivedReport[]> {
  const rows = await read<Row>`
    select merchant_account, batch, file_name, received_at, sums, problem
      from settlement_reports
     where connection_id = ${uuidOf(connection)}
     order by received_at desc, merchant_account, batch
     limit ${maxListed}
  `;
  return rows.map((row) => ({
    merchantAccount: row.merchant_account,
    batch: row.batch,
    fileName: row.file_name,
    receivedAt: row.received_at,
    sums: row.sums,
    problem: row.problem,
  }));
}

type Row = {
  merchant_account: string;
  batch: string;
  file_name: string;
  received_at: Date;
  sums: BatchSums[];
  problem: string | null;
};
