import { createHmac } from "node:crypto";
import type { AuditContext } from "../database/sql.ts";

/**
 * Returns a context that authenticates audit entries with a key. The key provider derives the key only once, so that
 * later transactions do not wait for it.
 */
export function createAuditContext({
  deriveKey,
  copy,
}: {
  readonly deriveKey: () => Promise<Buffer>;
  readonly copy: AuditContext["copy"];
}): AuditContext {
  let key: Promise<Buffer> | null = null;

  function derivedKey(): Promise<Buffer> {
    if (key) return key;
    const deriving = deriveKey();
    key = deriving;
    // A failure is not cached, so the next entry tries the key provider again.
    deriving.catch(() => {
      key = null;
    });
    return deriving;
  }

  return {
    mac: async (message) =>
      createHmac("sha256", await derivedKey())
        .update(message, "utf8")
        .digest(),
    copy,
  };
}
