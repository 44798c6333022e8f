import assert from "node:assert/strict";
import { readWaitingMails } from "../src/platform/mail/mail.sql.ts";
import type { Shop } from "./shop.ts";

/** Returns the newest queued email to this email address. */
export async function mailTo(shop: Shop, to: string): Promise<{ subject: string; text: string }> {
  const emails = await readWaitingMails(shop.app.database.read, 100);
  const mail = emails.find((email) => email.to === to);
  assert.ok(mail, `There is no email to ${to}`);
  return mail;
}

/** Returns the fragment of the link in the email. */
export async function tokenMailedTo(shop: Shop, to: string): Promise<string> {
  const { text } = await mailTo(shop, to);
  const [, token] = /#([\w-]{43})$/m.exec(text) ?? [];
  assert.ok(token, `There is no link in ${text}`);
  return token;
}
