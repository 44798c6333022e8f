import { AuditEntry, ListAuditLog } from "@florin/contract/audit.ts";
import { ListOf } from "@florin/contract/list.ts";
import type { Database } from "../database/database.ts";
import { listPage, pageOf } from "../http/list.ts";
import { ok, type Route, route } from "../http/route.ts";
import { listEntries } from "./audit.sql.ts";
import { auditEntryObject } from "./audit-entry-object.ts";

const url = "/api/v1/audit_log";

export function auditRoutes({ database }: { database: Database }): Route[] {
  return [
    route({
      method: "GET",
      path: "/audit_log",
      summary: "List audit entries",
      permission: "audit:read",
      query: ListAuditLog,
      response: ListOf(AuditEntry, url),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "log");
        const filter = {
          action: query.action,
          actorId: query.actor_id,
          objectId: query.object_id,
        };
        const rows = await listEntries(database.read, scope, filter, page);
        return ok(listPage(rows, page, url, auditEntryObject));
      },
    }),
  ];
}
