import { ListOf } from "@florin/contract/list.ts";
import {
  DownloadServiceAudit,
  ListServiceAudit,
  ServiceAuditEntry,
} from "@florin/contract/operator.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import { listServiceEntries, type ServiceAuditFilter } from "../../platform/audit/audit.sql.ts";
import { auditEntryObject } from "../../platform/audit/audit-entry-object.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { csvLine, textCell, timeCell } from "../../platform/http/csv.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { ok } from "../../platform/http/route.ts";
import type { OperatorDeps } from "./operator-deps.ts";

const url = "/operator/v1/audit";

/** The maximum number of entries in one file, newest first. Older entries can be downloaded with a time filter. */
const maxDownloaded = 5_000;

/** Serves the service-wide audit log. Its entries concern several accounts or none. */
export function serviceAuditRoutes({ database }: OperatorDeps): BrowserRoute<SignedIn>[] {
  const route = browserRoute<SignedIn>();
  return [
    route({
      method: "GET",
      path: "/audit",
      query: ListServiceAudit,
      response: ListOf(ServiceAuditEntry, url),
      async handle({ query }) {
        const page = pageOf(query, "log");
        const rows = await listServiceEntries(database.read, filterIn(query), page);
        return ok(listPage(rows, page, url, auditEntryObject));
      },
    }),
    route({
      method: "GET",
      path: "/audit.csv",
      query: DownloadServiceAudit,
      async handle({ query }) {
        const page = { ...pageOf(query, "log"), limit: maxDownloaded };
        const rows = await listServiceEntries(database.read, filterIn(query), page);
        const lines = rows.slice(0, maxDownloaded).map((row) => lineOf(auditEntryObject(row)));
        const bytes = Buffer.from(csvLine(Object.keys(columns)) + lines.join(""));
        return { ...ok({}), file: { bytes, mediaType: "text/csv", name: "audit-log.csv" } };
      },
    }),
  ];
}

function filterIn(query: DownloadServiceAudit): ServiceAuditFilter {
  return { action: query.action, actorId: query.actor_id, objectId: query.object_id };
}

type Entry = ReturnType<typeof auditEntryObject>;

const columns: Readonly<Record<string, (entry: Entry) => string>> = {
  number: ({ number }) => String(number),
  created: ({ created }) => timeCell(created),
  action: ({ action }) => textCell(action),
  actor_type: ({ actor }) => textCell(actor.type),
  actor_id: ({ actor }) => textCell(actor.id),
  actor_name: ({ actor }) => textCell(actor.name),
  object_id: ({ object_id }) => textCell(object_id),
  reason: ({ reason }) => textCell(reason),
  ip: ({ ip }) => textCell(ip),
  before: ({ before }) => textCell(before && JSON.stringify(before)),
  after: ({ after }) => textCell(after && JSON.stringify(after)),
  request_id: ({ request_id }) => textCell(request_id),
  hash: ({ hash }) => textCell(hash),
};

function lineOf(entry: Entry): string {
  return csvLine(Object.values(columns).map((cell) => cell(entry)));
}
