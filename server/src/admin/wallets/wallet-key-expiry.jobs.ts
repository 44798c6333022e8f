import type { Clock } from "../../core/clock.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { deleteKey, listExpiredKeys } from "../../vault/wallets/configurations/wallet-key.sql.ts";
import { keyValues } from "./wallet-key.routes.ts";

const batchSize = 100;

type ExpiryDeps = { readonly database: Database; readonly clock: Clock };

/** Deletes the previous keys of wallets that no longer decrypt tokens, once an hour. */
export function startWalletKeyExpiry(deps: ExpiryDeps, background: Background): Loop {
  return startLoop({
    name: "expiry of wallet keys",
    everyMs: 60 * 60_000,
    background,
    work: async () => (await deleteExpiredKeys(deps)) === batchSize,
  });
}

/** Deletes a batch of expired keys, and records each deletion in the audit log of its account. Returns their number. */
export async function deleteExpiredKeys({ database, clock }: ExpiryDeps): Promise<number> {
  const expired = await listExpiredKeys(database.read, clock.now(), batchSize);
  for (const key of expired) {
    await database.transaction(async (tx) => {
      // Another process may have deleted the key in the meantime.
      if (!(await deleteKey(tx, key))) return;
      const { account, id: object } = key;
      const done = { account, livemode: null, action: "wallet_key.removed", object } as const;
      const actor = { kind: "service" } as const;
      await recordAuditEntry(tx, { ...done, actor, before: keyValues(key) }, clock);
    });
  }
  return expired.length;
}
