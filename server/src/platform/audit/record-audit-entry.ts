import type { Clock } from "../../core/clock.ts";
import { type AccountId, idFromUuid, newId } from "../../core/ids.ts";
import type { Tx } from "../database/sql.ts";
import { appendEntry, assumeAuditRole, chainOf, dropAuditRole, lockHead } from "./audit.sql.ts";
import {
  type AuditEntry,
  emptyChainHash,
  entryHash,
  entryMessage,
  entryText,
  headMessage,
} from "./audit-entry.ts";

/**
 * Adds an audit entry in the transaction of the change, so that neither exists without the other. Call it last in the
 * transaction: it blocks other entries of the same chain until the commit. To avoid deadlocks, a transaction that
 * writes to several chains must write to the accounts in the order of their ids, and to the service-wide chain last.
 * The first entry of an account is also recorded in the service-wide chain, so that the removal of a whole chain is
 * detected.
 */
export async function recordAuditEntry(
  tx: Tx,
  auditEntry: AuditEntry,
  clock: Clock,
): Promise<void> {
  const chain = chainOf(auditEntry.account);
  const hasRole = await assumeAuditRole(tx);
  const head = await lockHead(tx, chain, emptyChainHash);
  const entry = entryText(newId("log", clock.now()), auditEntry);
  const hash = entryHash(head.hash, entry);
  const appended = { chain, number: head.number + 1, hash };
  const mac = await tx.audit.mac(entryMessage(appended));
  const headMac = await tx.audit.mac(headMessage(appended));
  await appendEntry(tx, { ...appended, entry, mac, headMac });
  if (hasRole) await dropAuditRole(tx);
  if (auditEntry.account && appended.number === 1)
    await recordAuditEntry(tx, chainStarted(chain, auditEntry.account), clock);
  tx.afterCommit(() => {
    const { account, action, object, actor } = auditEntry;
    tx.audit.copy({
      chain: account === null ? "service" : idFromUuid("acct", chain),
      number: appended.number,
      action,
      actor: actor.kind === "service" ? actor.kind : actor.id,
      object,
      hash: hash.toString("hex"),
      mac: mac.toString("hex"),
      // The log stream contains the text of service-wide entries only. For a merchant's entry, the hash is enough to
      // compare the stream with the stored entry.
      ...(account === null && { entry }),
    });
  });
}

/** Returns the service-wide entry that records the start of an account's chain. */
function chainStarted(chain: string, account: AccountId): AuditEntry {
  return {
    account: null,
    livemode: null,
    actor: { kind: "service" },
    action: "audit_log.started",
    object: account,
    after: { chain },
  };
}
