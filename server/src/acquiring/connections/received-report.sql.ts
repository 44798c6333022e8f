import { type ConnectionId, uuidOf } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import { type Fragment, fragment, type Sql } from "../../platform/database/sql.ts";
import type { BatchSums } from "../settlement-report.ts";
import { type ReportKey, type ReportKeyRow, reportKeyOf } from "./settlement-report.sql.ts";

/** A received report without its lines. */
export type ReceivedReport = ReportKey & {
  readonly revision: number;
  readonly fileName: string;
  readonly sha256: string;
  readonly receivedAt: Date;
  readonly appliedAt: Date | null;
  readonly lineCount: number;
  readonly postedFrom: Date | null;
  readonly postedUntil: Date | null;
  readonly sums: readonly BatchSums[];
  readonly problem: string | null;
  readonly warning: string | null;
  /** The failed attempts to apply the report. Null if no attempt has failed since the last success. */
  readonly failure: ReportFailure | null;
  readonly unmatchedLines: number;
  /** The first few lines of transactions that match no charge. */
  readonly unmatched: readonly UnmatchedLine[];
};

type ReportFailure = {
  readonly attempts: number;
  /** The error of the last attempt. */
  readonly problem: string;
  readonly retryAt: Date;
};

type UnmatchedLine = {
  readonly line: number;
  readonly type: string;
  readonly reference: string | null;
  readonly amount: number;
  readonly currency: Currency;
};

const maxListed = 100;
const maxUnmatchedListed = 10;

/** Returns the latest reports of the connection, newest first. */
export function listSettlementReports(
  read: Sql,
  connection: ConnectionId,
): Promise<ReceivedReport[]> {
  return listMatching(read, fragment`r.connection_id = ${uuidOf(connection)}`);
}

export async function readSettlementReport(
  read: Sql,
  { connection, merchantAccount, batch }: ReportKey,
): Promise<ReceivedReport | null> {
  const [report = null] = await listMatching(
    read,
    fragment`r.connection_id = ${uuidOf(connection)} and r.merchant_account = ${merchantAccount} and r.batch = ${batch}`,
  );
  return report;
}

async function listMatching(read: Sql, condition: Fragment): Promise<ReceivedReport[]> {
  const rows = await read<Row>`
    select r.connection_id, r.merchant_account, r.batch, r.revision, r.file_name, r.sha256, r.received_at, r.applied_at,
           r.line_count, r.posted_from, r.posted_until, r.sums, r.problem, r.warning, r.due_at, r.failures,
           r.failure, u.total as unmatched_lines, coalesce(u.listed, '[]') as unmatched
      from settlement_reports r
     cross join lateral (
       select count(*) as total,
              jsonb_agg(jsonb_build_object(
                'line', n.line, 'type', n.type, 'reference', coalesce(n.modification_reference, n.payment_reference),
                'amount', coalesce(n.gross, n.net), 'currency', coalesce(n.gross_currency, n.net_currency)
              ) order by n.line) filter (where n.number <= ${maxUnmatchedListed}) as listed
         from (
           select l.*, row_number() over (order by l.line) as number
             from settlement_report_lines l
            where l.connection_id = r.connection_id and l.merchant_account = r.merchant_account and l.batch = r.batch
              and r.applied_at is not null and not l.matched and l.settlement_type is not null
         ) n
     ) u
     where ${condition}
     order by r.received_at desc, r.merchant_account, r.batch desc
     limit ${maxListed}
  `;
  return rows.map((row) => ({
    ...reportKeyOf(row),
    revision: row.revision,
    fileName: row.file_name,
    sha256: row.sha256,
    receivedAt: row.received_at,
    appliedAt: row.applied_at,
    lineCount: row.line_count,
    postedFrom: row.posted_from,
    postedUntil: row.posted_until,
    sums: row.sums,
    problem: row.problem,
    warning: row.warning,
    failure:
      row.failure === null
        ? null
        : { attempts: row.failures, problem: row.failure, retryAt: row.due_at },
    unmatchedLines: Number(row.unmatched_lines),
    unmatched: row.unmatched,
  }));
}

type Row = ReportKeyRow & {
  revision: number;
  file_name: string;
  sha256: string;
  received_at: Date;
  applied_at: Date | null;
  line_count: number;
  posted_from: Date | null;
  posted_until: Date | null;
  sums: BatchSums[];
  problem: string | null;
  warning: string | null;
  due_at: Date;
  failures: number;
  failure: string | null;
  unmatched_lines: number;
  unmatched: UnmatchedLine[];
};
