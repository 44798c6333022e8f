import { downloadReport } from "../../acquiring/adyen/download-report.ts";
import { readReport, type SettlementReport } from "../../acquiring/adyen/read-report.ts";
import type { AdyenNotification } from "../../acquiring/adyen/webhooks.ts";
import type { ConnectionDirectory } from "../../acquiring/connections/connection-directory.ts";
import {
  replaceReportLines,
  storeSettlementReport,
} from "../../acquiring/connections/settlement-report.sql.ts";
import type { Clock } from "../../core/clock.ts";
import type { ConnectionId } from "../../core/ids.ts";
import type { Timers } from "../../core/timers.ts";
import type { Database } from "../../platform/database/database.ts";
import { assignLines } from "./assign-report-lines.ts";

export type ReportDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly directory: ConnectionDirectory;
};

export type ReportResult =
  | { readonly kind: "applied" | "ignored" }
  | { readonly kind: "review" | "retry"; readonly problem: string };

/** The start of the file names of settlement details reports. The signature covers the file name. */
const settlementDetails = "settlement_detail_report";

/**
 * Downloads and stores the report of a notification. No transaction is open during the download. The API key is sent
 * only to a URL on Adyen's host, because the signature does not cover the URL.
 */
export async function receiveReport(
  deps: ReportDeps,
  id: ConnectionId,
  notification: AdyenNotification,
  url: string | null,
): Promise<ReportResult> {
  const { acquirerReference: fileName, merchantAccount, live } = notification;
  if (!fileName.startsWith(settlementDetails)) return { kind: "ignored" };
  const open = deps.directory.connection(id);
  if (!open) return { kind: "retry", problem: "The connection is not active." };
  if (live !== (open.connection.environment === "live")) {
    return review("The environment in the notification differs from that of the connection.");
  }
  if (url === null) {
    return review("The URL of the report is not on Adyen's host. Florin did not download it.");
  }
  // Adyen's URLs end with the merchant account and the file name, both of which the signature covers.
  if (!new URL(url).pathname.endsWith(`/${merchantAccount}/${fileName}`)) {
    return review(
      "The URL is not that of the report in the notification. Florin did not download it.",
    );
  }
  const downloaded = await downloadReport(deps.timers, open.secrets, url);
  if (downloaded.kind === "failed") {
    const problem = `The report could not be downloaded: ${downloaded.problem}.`;
    return downloaded.isPermanent ? review(problem) : { kind: "retry", problem };
  }
  const report = await readReport(downloaded.csv, merchantAccount);
  if ("unreadable" in report) return review(report.unreadable);
  return storeReport(deps, id, report, fileName);
}

/** Stores a report with the lines of each account. A report that was stored before changes nothing. */
async function storeReport(
  { database, clock, directory }: ReportDeps,
  connection: ConnectionId,
  report: SettlementReport,
  fileName: string,
): Promise<ReportResult> {
  const { merchantAccount, batch, problem } = report;
  const assignments = directory.assignmentsAt(connection, merchantAccount);
  const transactions = report.lines.filter((line) => line.kind === "transaction");
  const { lines, unassigned } = await assignLines(
    database.read,
    connection,
    assignments,
    transactions,
  );
  const stored = await database.transaction(async (tx) => {
    const result = await storeSettlementReport(tx, connection, report, {
      fileName,
      at: clock.now(),
    });
    if (result === "stored")
      await replaceReportLines(tx, { connection, merchantAccount, batch }, lines);
    return result;
  });
  if (stored === "different") {
    return review(`Batch ${batch} was received before with other lines.`);
  }
  if (problem !== null) return review(problem);
  const [first] = unassigned;
  if (first === undefined) return { kind: "applied" };
  return review(
    `Several accounts use '${merchantAccount}', and ${unassigned.length} lines of batch ${batch} name no charge of them. The first is line ${first.line}, payment ${first.paymentReference}.`,
  );
}

function review(problem: string): ReportResult {
  return { kind: "review", problem };
}
