import type { Tx } from "../database/sql.ts";
import { newId } from "../primitives/ids.ts";
import { insertMail } from "./mail.sql.ts";
import type { Mail } from "./mail.ts";

/** Puts a mail into the outbox, in the transaction of what it tells of: neither is there without the other. */
export async function postMail(tx: Tx, mail: Mail, now: Date): Promise<void> {
  await insertMail(tx, { ...mail, id: newId("mail", now), attempts: 0 }, now);
}
