import { type ConnectionId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { BatchSums, SettlementReport } from "../adyen/read-report.ts";

/**
 * Stores the report of a batch. A stored report is replaced only if it has a problem. Returns `different` if the batch
 * was received before with other lines.
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
