import type { Timers } from "../../core/timers.ts";
import { createAcquirerClient, type SendResult } from "../acquirer-client.ts";
import type { ConnectionSecrets } from "../connections/connection-secrets.ts";
import { isJsonObject, type JsonObject, parseJsonObject, textOf } from "../json-object.ts";
import type { LiveNotification } from "../live-notification.ts";
import { type FetchedReport, maxReportBytes } from "../settlement-report.ts";
import { safeId } from "./requests.ts";
import { authorization } from "./send-request.ts";
import { readSettlementReport } from "./settlement-report.ts";

export type ReportAccess = {
  readonly origin: string;
  readonly secrets: Pick<ConnectionSecrets, "apiKey">;
  readonly timers: Timers;
  /** The connection's processing channel. */
  readonly channel: string;
};

/** The timeout of a download. It is shorter than the lease of the notification that names the report. */
const timeoutMs = 25_000;

/** The maximum number of files of a report. A large report has more than one. */
const maxFiles = 20;

/** The next step for a report that Florin cannot download. */
const upload = "Download it in Checkout.com's Dashboard, and upload it to the connection.";

class Failed extends Error {
  readonly kind: "review" | "retry";

  constructor(kind: "review" | "retry", problem: string) {
    super(problem);
    this.kind = kind;
  }
}

/**
 * Downloads a settlement report: its details, and then each of its files (`GET /reports/{id}` and
 * `GET /reports/{id}/files/{file}` of api-reference.checkout.com). A report that belongs to no payout is ignored.
 */
export async function fetchReport(
  access: ReportAccess,
  { acquirerReference: report }: LiveNotification,
): Promise<FetchedReport> {
  try {
    const path = `/reports/${safeId("rpt", report)}`;
    const details = parseJsonObject(await download(access, path));
    const files = details?.files;
    if (!Array.isArray(files)) {
      throw new Failed("review", `Checkout.com returned no files for the report. ${upload}`);
    }
    if (!isOfPayout(details)) return { kind: "ignored" };
    if (files.length > maxFiles) {
      throw new Failed(
        "review",
        `The report has more than ${maxFiles} files. Schedule payouts more often, so that a report contains fewer payments.`,
      );
    }
    const read = await readSettlementReport(
      downloadFiles(access, path, files.filter(isJsonObject)),
      access.channel,
    );
    if ("unreadable" in read) throw new Failed("review", read.unreadable);
    return { kind: "fetched", fileName: `${report}.csv`, report: read };
  } catch (error) {
    if (error instanceof Failed) return { kind: error.kind, problem: error.message };
    throw error;
  }
}

/** Yields the files one after the other, so that the text of only one is in memory. */
async function* downloadFiles(
  access: ReportAccess,
  path: string,
  files: readonly JsonObject[],
): AsyncGenerator<string> {
  for (const file of files) {
    yield await download(access, `${path}/files/${safeId("file", textOf(file, "id") ?? "")}`);
  }
}

/** A report of a payout has a tag with the payout's ID (`tags` of `report_generated`). */
function isOfPayout(details: JsonObject | null): boolean {
  const tags = details?.tags;
  return Array.isArray(tags) && tags.some((tag) => /^payout_id:./.test(String(tag)));
}

async function download(access: ReportAccess, path: string): Promise<string> {
  const { origin, secrets, timers } = access;
  const headers = { ...authorization({ secretKey: secrets.apiKey }), accept: "*/*" };
  const first = await get(origin, path, headers, timers);
  const target = locationOf(first, origin);
  if (target === null) return bodyOf(first, "Checkout.com");
  // The file is at a storage service. Its URL is signed, and the service must not receive the secret key.
  const redirected = await get(target.origin, `${target.pathname}${target.search}`, {}, timers);
  return bodyOf(redirected, target.hostname);
}

async function get(
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  timers: Timers,
): Promise<SendResult> {
  const client = createAcquirerClient({
    origin,
    timers,
    timeouts: { responseMs: timeoutMs, lateResponseMs: timeoutMs },
    maxBodyBytes: maxReportBytes,
  });
  const result = await client.send({ method: "GET", path, headers, body: null });
  await client.close();
  return result;
}

/**
 * Returns the URL to which Checkout.com redirects the download of a file, or null. The official SDK follows such
 * redirects to Amazon S3 (checkout-sdk-java, `CustomAwsRedirectStrategy`).
 */
function locationOf(result: SendResult, own: string): URL | null {
  if (result.kind !== "response") return null;
  const { status, headers } = result.response;
  const { location } = headers;
  if (status < 301 || status > 308 || typeof location !== "string") return null;
  const url = URL.canParse(location, own) ? new URL(location, own) : null;
  const isStorage = url?.protocol === "https:" && url.hostname.endsWith(".amazonaws.com");
  if (url === null || (!isStorage && url.origin !== new URL(own).origin)) {
    throw new Failed(
      "review",
      `The report is on an unknown host, so Florin did not download it. ${upload}`,
    );
  }
  return url;
}

/** The statuses for which another attempt cannot succeed. */
const permanentStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 410, 422]);

/** Returns the body of a response with status 200. Throws for any other result. `server` names the server in the error. */
function bodyOf(result: SendResult, server: string): string {
  const failed = (kind: "review" | "retry", problem: string) =>
    new Failed(kind, `The report could not be downloaded: ${problem}.`);
  if (result.kind !== "response") throw failed("retry", result.problem);
  const { status, headers, body } = result.response;
  // Without a length or chunks, the end of the connection ends the body (RFC 9112 section 6.3). A lost connection would
  // then look like the end of the file, and the rest of its rows would be missing.
  const isDelimited = "content-length" in headers || "transfer-encoding" in headers;
  if (status === 200 && !isDelimited) {
    throw failed("retry", "the response does not state its length, so it may be incomplete");
  }
  if (status === 200) return body;
  const kind = permanentStatuses.has(status) ? "review" : "retry";
  throw failed(kind, `${server} returned status ${status}`);
}
