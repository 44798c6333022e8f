import { systemClock } from "@florin/server/core/clock.ts";
import { recordAuditEntry } from "@florin/server/platform/audit/record-audit-entry.ts";
import type { Database } from "@florin/server/platform/database/database.ts";

/** Records a command that was run on the machine in the service-wide audit log. */
export async function recordCommand(
  database: Database,
  action: "service.keys_rotated" | "service.backed_up",
  after: Readonly<Record<string, unknown>>,
): Promise<void> {
  const reason = "Requested on the command line";
  const actor = { kind: "service" } as const;
  const entry = { account: null, livemode: null, actor, action, object: null, after, reason };
  await database.transaction((tx) => recordAuditEntry(tx, entry, systemClock));
}
