import { downloadReport } from "../../acquiring/adyen/download-report.ts";
import { readReport } from "../../acquiring/adyen/read-report.ts";
import type { ConnectionDirectory } from "../../acquiring/connections/connection-directory.ts";
import { storeSettlementReport } from "../../acquiring/connections/settlement-report.sql.ts";
import type { LiveNotification } from "../../acquiring/live-notification.ts";
import type { Clock } from "../../core/clock.ts";
import type { ConnectionId } from "../../core/ids.ts";
import type { Timers } from "../../core/timers.ts";
import type { Database } from "../../platform/database/database.ts";

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
  notification: LiveNotification,
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
  const report = await readReport(Buffer.from(downloaded.csv), merchantAccount);
  if ("unreadable" in report) return review(report.unreadable);
  const received = { fileName, at: deps.clock.now() };
  await deps.database.transaction((tx) => storeSettlementReport(tx, id, report, received));
  return report.problem === null ? { kind: "applied" } : review(report.problem);
}

function review(problem: string): ReportResult {
  return { kind: "review", problem };
}
