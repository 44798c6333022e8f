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
 * 10.2.1.6).
 */
export async function recordService(
  { database, clock, process }: Parts,
  action: "service.started" | "service.stopped",
): Promise<void> {
  await database.transaction((tx) =>
    recordAuditEntry(
      tx,
      {
        account: null,
        livemode: null,
        actor: { kind: "service" },
        action,
        object: null,
        after: { process: process.get() },
      },
      clock,
    ),
  );
}
