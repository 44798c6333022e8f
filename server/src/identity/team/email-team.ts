import type { NotificationTopic } from "@florin/contract/notification-topics.ts";
import type { Permission } from "@florin/contract/permissions.ts";
import { roleNames, roles } from "@florin/contract/roles.ts";
import type { AccountId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import { tryToQueueMail } from "../../platform/mail/queue-mail.ts";
import { readEmailsOf } from "../accounts/member.sql.ts";

/** The topic of an email that members can turn off, and the mode that it concerns, or null for both. */
export type EmailTopic = {
  readonly topic: NotificationTopic;
  readonly livemode: boolean | null;
};

/**
 * Queues an email to every member with the permission `may`, in the transaction of the change. Members who turned off
 * the topic receive none. Emails beyond the account's limit are skipped and do not fail the change.
 */
export async function emailTeam(
  tx: Tx,
  account: AccountId,
  may: Permission,
  email: Omit<Mail, "to">,
  now: Date,
  about: EmailTopic | null = null,
): Promise<void> {
  const able = roleNames.filter((role) => roles[role].permissions.has(may));
  const kind = about ? "notification" : "account";
  for (const to of await readEmailsOf(tx, account, able, about))
    await tryToQueueMail(tx, { ...email, to }, { kind, account }, now);
}
