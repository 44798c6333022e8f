import type { Permission } from "@florin/contract/permissions.ts";
import { roleNames, roles } from "@florin/contract/roles.ts";
import type { Tx } from "../database/sql.ts";
import type { Mail } from "../mail/mail.ts";
import { postMail } from "../mail/post-mail.ts";
import type { AccountId } from "../primitives/ids.ts";
import { readEmailsOf } from "./member.sql.ts";

/** Mails everybody in the team who may do something about it, in the transaction of what happened. */
export async function tellTeam(
  tx: Tx,
  account: AccountId,
  may: Permission,
  letter: Omit<Mail, "to">,
  now: Date,
): Promise<void> {
  const able = roleNames.filter((role) => roles[role].permissions.has(may));
  for (const to of await readEmailsOf(tx, account, able))
    await postMail(tx, { ...letter, to }, now);
}
