import type { Logger } from "pino";
import { createAuditContext } from "../platform/audit/audit-context.ts";
import type { AuditContext } from "../platform/database/sql.ts";
import type { KeyProvider } from "../vault/key-provider.ts";

/**
 * Connects the audit log to the key provider and, unless `logger` is null, to the log stream. The audit key is derived
 * from the fingerprint key, which is never rotated, so that entries from before a rotation can still be verified. It
 * is live mode's key, as for people's secrets.
 */
export function auditContextOf(keys: KeyProvider, logger: Logger | null): AuditContext {
  // Audit lines do not depend on FLORIN_LOG: a collector needs all of them. Only `silent` turns them off.
  const lines = !logger || logger.level === "silent" ? null : logger.child({}, { level: "info" });
  return createAuditContext({
    deriveKey: () => keys.mac(true, Buffer.from("audit_log")),
    copy: (entry) => lines?.info(entry, "audit entry"),
  });
}
