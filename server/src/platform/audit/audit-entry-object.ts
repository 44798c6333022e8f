import type { AuditEntry } from "@florin/contract/audit.ts";
import {
  type AuditAction,
  auditActions,
  serviceAuditActions,
} from "@florin/contract/audit-actions.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, idFromUuid } from "../../core/ids.ts";
import type { AuditRow } from "./audit.sql.ts";

/** Returns the entry as the API shows it, read from the hashed text only. */
export function auditEntryObject({ number, entry, hash }: AuditRow): AuditEntry {
  const facts = JSON.parse(entry);
  const id = idFromUuid("log", facts.id);
  return {
    id,
    object: "audit_entry",
    livemode: facts.livemode,
    created: unixSeconds(createdAt(id)),
    number,
    action: facts.action,
    summary: { ...auditActions, ...serviceAuditActions }[facts.action as AuditAction],
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
