import type { AuditAction } from "@florin/contract/audit-actions.ts";
import { type Act, actIn, type Facts } from "../../platform/audit/act.ts";
import type { ApiRequest } from "../../platform/http/route.ts";
import { applicationIdOf } from "./read-application.ts";

/** Returns the audit entry of a member's change to the application, which both modes share. */
export function applicationAct(
  request: ApiRequest<unknown>,
  action: AuditAction,
  after: Facts | null = null,
): Act {
  const object = applicationIdOf(request.owner.account);
  return actIn(request, { livemode: null, action, object, after });
}
