import type { Tx } from "../database/sql.ts";
import { type AccountId, newId, type PersonId } from "../primitives/ids.ts";
import { insertAccount } from "./account.sql.ts";
import { newAccount } from "./account.ts";
import { insertMember } from "./member.sql.ts";

/** Makes a merchant that can try everything in test mode, and whose owner the person is. */
export async function openMerchant(
  tx: Tx,
  owner: PersonId,
  { name, country }: { readonly name: string; readonly country: string },
  now: Date,
): Promise<AccountId> {
  const id = newId("acct", now);
  await insertAccount(tx, { ...newAccount, id, name, country });
  await insertMember(tx, { id: newId("mem", now), account: id, person: owner, role: "owner" });
  return id;
}
