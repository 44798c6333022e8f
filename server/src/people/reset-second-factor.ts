import type { Tx } from "../database/sql.ts";
import { postMail } from "../mail/post-mail.ts";
import type { PersonId } from "../primitives/ids.ts";
import { changedLetter } from "./letters.ts";
import { lockPerson } from "./person.sql.ts";
import { deleteSecondFactors } from "./second-factors.sql.ts";

/** For whoever lost everything but their password. They hear of it, for it may not have been them who asked. */
export async function resetSecondFactor(tx: Tx, id: PersonId, now: Date): Promise<void> {
  const person = await lockPerson(tx, id);
  await deleteSecondFactors(tx, id);
  const news = "The operator removed your passkeys, authenticator app and recovery codes";
  if (person) await postMail(tx, changedLetter(person.email, news), { kind: "security" }, now);
}
