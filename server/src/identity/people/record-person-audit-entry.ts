import type { ServiceAuditAction } from "@florin/contract/audit-actions.ts";
import type { Clock } from "../../core/clock.ts";
import type { PersonId, SessionId } from "../../core/ids.ts";
import type { AuditValues } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Tx } from "../../platform/database/sql.ts";

/**
 * Records a person's sign-in, or a change of the person's own credentials or rights, in the service-wide audit log. No
 * account's log has this entry, because a person may belong to several accounts or to none.
 */
export async function recordPersonAuditEntry(
  tx: Tx,
  who: {
    readonly person: PersonId;
    readonly email: string;
    readonly session: SessionId | null;
    readonly ip: string;
  },
  action: ServiceAuditAction,
  { clock, after = null }: { readonly clock: Clock; readonly after?: AuditValues | null },
): Promise<void> {
  const { person, email, session, ip } = who;
  const actor = { kind: "person", id: person, session, name: email } as const;
  const entry = {
    account: null,
    livemode: null,
    actor,
    action,
    object: person,
    after,
    ip,
  } as const;
  await recordAuditEntry(tx, entry, clock);
}
