import { invalid, notFound } from "./api-error.ts";
import { timestamp } from "./events.ts";
import type { Platform } from "./platform.ts";
import type { Report } from "./records.ts";
import type { Context, Reply } from "./request-context.ts";

/**
 * Lists the reports, with the newest first: `GET /reports`
 * (checkout.com/docs/platforms/for-saas/retrieve-reports/retrieve-reports-using-the-api).
 */
export function listReports(context: Context): Reply {
  const { platform, account, query } = context;
  const limit = Number(query.get("limit") ?? 100);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw invalid("limit_invalid");
  const after = query.get("created_after");
  const before = query.get("created_before");
  const entity = query.get("entity_id");
  const found = [...platform.reports.values()]
    .filter(
      (report) =>
        report.account === account.id &&
        (entity === null || entity === account.entity) &&
        (after === null || report.createdAt >= Date.parse(after)) &&
        (before === null || report.createdAt < Date.parse(before)),
    )
    .reverse();
  const token = query.get("pagination_token");
  const from = token === null ? 0 : found.findIndex(({ id }) => id === token) + 1;
  const page = found.slice(from, from + limit);
  const rest = new URLSearchParams(query);
  rest.set("pagination_token", page.at(-1)?.id ?? "");
  const hasMore = from + limit < found.length;
  const url = `${platform.baseUrl}/reports`;
  return {
    status: 200,
    body: {
      count: page.length,
      limit,
      data: page.map((report) => render(platform, report)),
      _links: {
        self: { href: `${url}?${query}` },
        ...(hasMore && { next: { href: `${url}?${rest}` } }),
      },
    },
  };
}

/** Returns a report with its file: `GET /reports/{id}`. */
export function retrieveReport(context: Context, id: string): Reply {
  return { status: 200, body: render(context.platform, findReport(context, id)) };
}

/** Returns the content of a file: `GET /reports/{id}/files/{file}`. */
export function retrieveReportFile(context: Context, id: string, file: string): Reply {
  const report = findReport(context, id);
  if (report.file !== file) throw notFound();
  return { status: 200, body: report.content };
}

function findReport({ platform, account }: Context, id: string): Report {
  const report = platform.reports.get(id);
  if (!report || report.account !== account.id) throw notFound();
  return report;
}

function render(platform: Platform, report: Report): object {
  const url = `${platform.baseUrl}/reports/${report.id}`;
  return {
    id: report.id,
    created_on: timestamp(report.createdAt),
    last_modified_on: timestamp(report.createdAt),
    type: report.type,
    description: `${report.type} report`,
    account: { client_id: report.account, entity_id: platform.account(report.account).entity },
    tags: [`payout_id:${report.payout}`],
    from: timestamp(report.from),
    to: timestamp(report.to),
    files: [
      {
        id: report.file,
        filename: report.filename,
        format: "CSV",
        _links: { self: { href: `${url}/files/${report.file}` } },
      },
    ],
    _links: { self: { href: url } },
  };
}
