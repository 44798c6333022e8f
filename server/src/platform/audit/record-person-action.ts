import type { Clock } from "../../core/clock.ts";
import type { Tx } from "../database/sql.ts";
import { auditEntryOf } from "./audit-entry.ts";
import { recordAuditEntry } from "./record-audit-entry.ts";

/**
 * Records an action of a person. Actions of API keys are not recorded, because there may be thousands per second, and
 * their effects are visible in the changed objects.
 */
export async function recordPersonAction(
  tx: Tx,
  request: Parameters<typeof auditEntryOf>[0] | null,
  details: Parameters<typeof auditEntryOf>[1],
  clock: Clock,
): Promise<void> {
  if (request?.actor.kind === "person")
    await recordAuditEntry(tx, auditEntryOf(request, details), clock);
}
