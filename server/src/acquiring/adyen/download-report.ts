import type { Timers } from "../../core/timers.ts";
import { createAcquirerClient } from "../acquirer-client.ts";
import type { ConnectionSecrets } from "../connections/connection-secrets.ts";
import { maxReportBytes } from "../settlement-report.ts";

/** The timeout of a download. It is shorter than the lease of the notification that names the report. */
const timeoutMs = 30_000;

export type DownloadedReport =
  | { readonly kind: "downloaded"; readonly csv: string }
  /** `isPermanent` is true if another attempt would fail in the same way. */
  | { readonly kind: "failed"; readonly isPermanent: boolean; readonly problem: string };

/**
 * The statuses for which another attempt cannot succeed: the API key lacks the role for reports, or the report does not
 * exist.
 */
const permanentStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

/**
 * Downloads a report. The API key needs the role "Merchant Report Download role"
 * (docs.adyen.com/reporting/automatically-get-reports). The caller has checked that the URL is on Adyen's host.
 * Redirects are not followed.
 */
export async function downloadReport(
  timers: Timers,
  { apiKey }: Pick<ConnectionSecrets, "apiKey">,
  url: string,
): Promise<DownloadedReport> {
  const { origin, pathname, search } = new URL(url);
  const client = createAcquirerClient({
    origin,
    timers,
    timeouts: { responseMs: timeoutMs, lateResponseMs: timeoutMs },
    maxBodyBytes: maxReportBytes,
  });
  const result = await client.send({
    method: "GET",
    path: `${pathname}${search}`,
    headers: { "x-api-key": apiKey.reveal() },
    body: null,
  });
  await client.close();
  if (result.kind !== "response") {
    return { kind: "failed", isPermanent: false, problem: result.problem };
  }
  const { status, body } = result.response;
  if (status === 200) return { kind: "downloaded", csv: body };
  const isPermanent = permanentStatuses.has(status);
  return { kind: "failed", isPermanent, problem: `Adyen returned status ${status}` };
}
