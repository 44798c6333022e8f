import { AuditEntry, ListAuditLog } from "@florin/contract/audit.ts";
import { type AuditAction, auditActions } from "@florin/contract/audit-actions.ts";
import { ListOf } from "@florin/contract/list.ts";
import type { Database } from "../database/database.ts";
import { listPage, pageOf } from "../http/list.ts";
import { ok, type Route, route } from "../http/route.ts";
import { unixSeconds } from "../primitives/clock.ts";
import { createdAt, idFromUuid } from "../primitives/ids.ts";
import { type AuditRow, listEntries } from "./audit.sql.ts";

const url = "/api/v1/audit_log";

export function auditRoutes({ database }: { database: Database }): Route[] {
  return [
    route({
      method: "GET",
      path: "/audit_log",
      summary: "List who did what",
      permission: "audit:read",
      query: ListAuditLog,
      answer: ListOf(AuditEntry, url),
      status: 200,
      async handle({ owner, query }) {
        const page = pageOf(query, "log");
        const filter = {
          action: query.action,
          actorId: query.actor_id,
          objectId: query.object_id,
        };
        const rows = await listEntries(database.read, owner, filter, page);
        return ok(listPage(rows, page, url, auditEntryObject));
      },
    }),
  ];
}

function auditEntryObject({ number, entry, hash }: AuditRow): AuditEntry {
  const facts = JSON.parse(entry);
  const id = idFromUuid("log", facts.id);
  return {
    id,
    object: "audit_entry",
    livemode: facts.livemode,
    created: unixSeconds(createdAt(id)),
    number,
    action: facts.action,
    summary: auditActions[facts.action as AuditAction],
    actor: { type: facts.actor_type, id: facts.actor_id, name: facts.actor_name },
    object_id: facts.object_id,
    before: facts.before,
    after: facts.after,
    reason: facts.reason,
    ip: facts.ip,
    request_id: facts.request_id,
    hash: hash.toString("hex"),
  };
}
