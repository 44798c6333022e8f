import type { Tx } from "../database/sql.ts";
import { postMail } from "../mail/post-mail.ts";
import type { PersonId } from "../primitives/ids.ts";
import { changedLetter } from "./letters.ts";
import { lockPerson } from "./person.sql.ts";
import { deleteSecondFactors } from "./second-factors.sql.ts";

/**
 * Removes all second factors of a person who lost them. The person is notified, because an attacker may have made the
 * request.
 */
export async function resetSecondFactor(tx: Tx, id: PersonId, now: Date): Promise<void> {
  const person = await lockPerson(tx, id);
  await deleteSecondFactors(tx, id);
  const news = "The operator removed your passkeys, authenticator app and recovery codes";
  if (person) await postMail(tx, changedLetter(person.email, news), { kind: "security" }, now);
}
