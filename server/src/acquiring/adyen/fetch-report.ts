import type { Timers } from "../../core/timers.ts";
import type { ConnectionSecrets } from "../connections/connection-secrets.ts";
import type { LiveNotification } from "../live-notification.ts";
import type { FetchedReport } from "../settlement-report.ts";
import { downloadReport } from "./download-report.ts";
import { readReport } from "./read-report.ts";

/** The prefix of the file names of settlement details reports. The signature covers the file name. */
const settlementDetails = "settlement_detail_report";

/**
 * Downloads the settlement details report of a notification REPORT_AVAILABLE. The API key is sent only to a URL on
 * Adyen's host, because the signature does not cover the URL.
 */
export async function fetchReport(
  secrets: Pick<ConnectionSecrets, "apiKey">,
  { event, acquirerReference: fileName, merchantAccount }: LiveNotification,
  timers: Timers,
): Promise<FetchedReport> {
  if (event.kind !== "report_available" || !fileName.startsWith(settlementDetails)) {
    return { kind: "ignored" };
  }
  const { url } = event;
  if (url === null) {
    return review("The URL of the report is not on Adyen's host. Florin did not download it.");
  }
  // Adyen's URLs end with the merchant account and the file name, both of which the signature covers.
  if (!new URL(url).pathname.endsWith(`/${merchantAccount}/${fileName}`)) {
    return review(
      "The URL is not that of the report in the notification. Florin did not download it.",
    );
  }
  const downloaded = await downloadReport(timers, secrets, url);
  if (downloaded.kind === "failed") {
    const problem = `The report could not be downloaded: ${downloaded.problem}.`;
    return downloaded.isPermanent ? review(problem) : { kind: "retry", problem };
  }
  const report = await readReport(Buffer.from(downloaded.csv), merchantAccount);
  return "unreadable" in report ? review(report.unreadable) : { kind: "fetched", fileName, report };
}

function review(problem: string): FetchedReport {
  return { kind: "review", problem };
}
