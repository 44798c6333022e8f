import type { NotificationTopic } from "@florin/contract/notification-topics.ts";
import type { Permission } from "@florin/contract/permissions.ts";
import { roleNames, roles } from "@florin/contract/roles.ts";
import type { AccountId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { Mail, MailBrand } from "../../platform/mail/mail.ts";
import { tryToQueueMail } from "../../platform/mail/queue-mail.ts";
import { readAccount } from "../accounts/account.sql.ts";
import type { Account } from "../accounts/account.ts";
import { logoPath } from "../accounts/account-object.ts";
import { readEmailsOf } from "../accounts/member.sql.ts";

/**
 * The topic of an email, which members can turn off. `livemode` is the mode that the email concerns, or null if it
 * concerns both modes.
 */
export type EmailTopic = {
  readonly topic: NotificationTopic;
  readonly livemode: boolean | null;
};

/**
 * Queues an email to every member with the permission `may`, in the transaction of the change. Members who turned off
 * the topic receive no email. Emails beyond the account's limit are skipped and do not fail the change.
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
  const recipients = await readEmailsOf(tx, account, able, about);
  if (recipients.length === 0) return;
  const merchant = await readAccount(tx, account);
  const brand = merchant && mailBrandOf(merchant);
  for (const to of recipients)
    await tryToQueueMail(tx, { ...email, brand, to }, { kind, account }, now);
}

/** Returns the name, the color and the logo that the account's emails show. */
export function mailBrandOf(account: Account): MailBrand {
  return { name: account.name, color: account.profile.brandColor, logo: logoPath(account) };
}
