import assert from "node:assert/strict";
import { readWaitingMails } from "../src/mail/mail.sql.ts";
import type { Shop } from "./shop.ts";

/** The newest mail to this address that waits to be sent. */
export async function mailTo(shop: Shop, to: string): Promise<{ subject: string; text: string }> {
  const mails = await readWaitingMails(shop.app.database.read, 100);
  const mail = mails.find((one) => one.to === to);
  assert.ok(mail, `There is no mail to ${to}`);
  return mail;
}

/** What follows the # of the link in it. */
export async function tokenMailedTo(shop: Shop, to: string): Promise<string> {
  const { text } = await mailTo(shop, to);
  const [, token] = /#([\w-]{43})$/m.exec(text) ?? [];
  assert.ok(token, `There is no link in ${text}`);
  return token;
}
