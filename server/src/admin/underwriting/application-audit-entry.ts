import type { AuditAction } from "@florin/contract/audit-actions.ts";
import {
  type AuditEntry,
  type AuditValues,
  auditEntryOf,
} from "../../platform/audit/audit-entry.ts";
import type { ApiRequest } from "../../platform/http/route.ts";
import { applicationIdOf } from "./read-application.ts";

/** Returns the audit entry of a member's change to the application, which both modes share. */
export function applicationAuditEntry(
  request: ApiRequest<unknown>,
  action: AuditAction,
  after: AuditValues | null = null,
): AuditEntry {
  const object = applicationIdOf(request.scope.account);
  return auditEntryOf(request, { livemode: null, action, object, after });
}
