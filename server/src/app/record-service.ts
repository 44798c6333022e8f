import { readAuditProtection } from "../platform/audit/audit-protection.ts";
import { recordAuditEntry } from "../platform/audit/record-audit-entry.ts";
import type { Parts } from "./parts.ts";

/**
 * Warns at startup if the database lacks part of the audit log's protection. `florin doctor` prints the same warning.
 */
export async function warnOfWeakAuditLog({ database, log }: Parts): Promise<void> {
  const { warnings } = await readAuditProtection(database.read);
  for (const warning of warnings) log.auditUnprotected(warning);
}

/**
 * Records in the audit log that a server started or stopped. The audit log starts and stops with the server (PCI DSS
 * 10.2.1.6). The entry of a start contains the names of the server's current keys. `florin rotate-keys --finish` reads
 * them to find servers that have not been restarted.
 */
export async function recordService(
  { database, clock, process, keys }: Parts,
  action: "service.started" | "service.stopped",
): Promise<void> {
  const startedWith = action === "service.started" && {
    keys: [await keys.currentKeyId(false), await keys.currentKeyId(true)],
  };
  await database.transaction((tx) =>
    recordAuditEntry(
      tx,
      {
        account: null,
        livemode: null,
        actor: { kind: "service" },
        action,
        object: null,
        after: { process: process.get(), ...startedWith },
      },
      clock,
    ),
  );
}
