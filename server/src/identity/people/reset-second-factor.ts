import type { PersonId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { queueMail } from "../../platform/mail/queue-mail.ts";
import { lockPerson } from "./person.sql.ts";
import { deleteSecondFactors } from "./second-factors.sql.ts";
import { credentialChangedEmail } from "./sign-in-emails.ts";

/**
 * Removes all second factors of a person who lost them. The person is notified, because an attacker may have made the
 * request.
 */
export async function resetSecondFactor(tx: Tx, id: PersonId, now: Date): Promise<void> {
  const person = await lockPerson(tx, id);
  await deleteSecondFactors(tx, id);
  const news = "The operator removed your passkeys, authenticator app and recovery codes";
  if (person)
    await queueMail(tx, credentialChangedEmail(person.email, news), { kind: "security" }, now);
}
