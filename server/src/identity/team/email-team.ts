import type { Permission } from "@florin/contract/permissions.ts";
import { roleNames, roles } from "@florin/contract/roles.ts";
import type { AccountId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import { tryToQueueMail } from "../../platform/mail/queue-mail.ts";
import { readEmailsOf } from "../accounts/member.sql.ts";

/**
 * Queues an email to every member with the permission `may`, in the transaction of the change. Emails beyond the
 * account's limit are skipped and do not fail the change.
 */
export async function emailTeam(
  tx: Tx,
  account: AccountId,
  may: Permission,
  email: Omit<Mail, "to">,
  now: Date,
): Promise<void> {
  const able = roleNames.filter((role) => roles[role].permissions.has(may));
  for (const to of await readEmailsOf(tx, account, able))
    await tryToQueueMail(tx, { ...email, to }, { kind: "account", account }, now);
}
