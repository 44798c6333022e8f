import type { Clock } from "../../core/clock.ts";
import { newId, type PersonId } from "../../core/ids.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { insertAccount } from "./account.sql.ts";
import { newAccount } from "./account.ts";
import { insertMember } from "./member.sql.ts";

/** A person who signs up, with the IP address of the request. */
type Founder = { readonly id: PersonId; readonly email: string; readonly ip: string };

type NewMerchant = { readonly name: string; readonly country: string };

/** Creates a merchant in test mode with the founder as its owner. */
export async function createMerchant(
  tx: Tx,
  { id: person, email, ip }: Founder,
  { name, country }: NewMerchant,
  clock: Clock,
): Promise<void> {
  const now = clock.now();
  const id = newId("acct", now);
  await insertAccount(tx, { ...newAccount, id, name, country });
  await insertMember(tx, { id: newId("mem", now), account: id, person, role: "owner" });
  const entry = {
    account: id,
    livemode: null,
    actor: { kind: "person", id: person, session: null, name: email },
    action: "account.created",
    object: id,
    after: { name, country },
    ip,
  } as const;
  await recordAuditEntry(tx, entry, clock);
}
