import type { Logger } from "pino";
import { createAuditContext } from "../platform/audit/audit-context.ts";
import type { AuditContext } from "../platform/database/sql.ts";
import type { KeyProvider } from "../vault/key-provider.ts";

/**
 * Connects the audit log to the key provider and, unless `logger` is null, to the log stream. The audit key is derived
 * from the fingerprint key of live mode. The fingerprint key is never rotated, so that old entries can always be
 * verified.
 */
export function connectAuditLog(keys: KeyProvider, logger: Logger | null): AuditContext {
  // Audit lines are logged at every level of FLORIN_LOG, because a log collector needs all of them. Only the level
  // `silent` disables audit lines.
  const lines = !logger || logger.level === "silent" ? null : logger.child({}, { level: "info" });
  return createAuditContext({
    deriveKey: () => keys.mac(true, Buffer.from("audit_log")),
    copy: (entry) => lines?.info(entry, "audit entry"),
  });
}
