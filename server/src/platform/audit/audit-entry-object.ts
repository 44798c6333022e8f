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
  const values = JSON.parse(entry);
  const id = idFromUuid("log", values.id);
  return {
    id,
    object: "audit_entry",
    livemode: values.livemode,
    created: unixSeconds(createdAt(id)),
    number,
    action: values.action,
    summary: { ...auditActions, ...serviceAuditActions }[values.action as AuditAction],
    actor: { type: values.actor_type, id: values.actor_id, name: values.actor_name },
    object_id: values.object_id,
    before: values.before,
    after: values.after,
    reason: values.reason,
    ip: values.ip,
    request_id: values.request_id,
    hash: hash.toString("hex"),
  };
}
