import { postMail } from "../../platform/mail/post-mail.ts";
import { passwordChangeOf } from "./guard.ts";
import { changedLetter } from "./letters.ts";
import { deleteLinksOfPerson } from "./link.sql.ts";
import { proveAgain } from "./open-session.ts";
import { refuseWeakPassword } from "./password-rules.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { updatePasswordHash } from "./person.sql.ts";
import { recordPersonAct } from "./record-person-act.ts";
import { deleteSessionsOf } from "./session.sql.ts";
import type { SignedIn } from "./session.ts";

/**
 * Changes the password and returns this session's new cookie. Ends every other session and revokes password reset
 * links, so that a person who knew the old password loses access.
 */
export async function changePassword(
  deps: PeopleDeps,
  who: SignedIn,
  password: string,
): Promise<string> {
  await refuseWeakPassword(password, who);
  await deps.guard.take([passwordChangeOf(who.person)]);
  const hash = await deps.passwords.hash(password);
  const now = deps.clock.now();
  return deps.database.transaction(async (tx) => {
    await updatePasswordHash(tx, who.person, hash);
    await deleteSessionsOf(tx, who.person, who.session);
    await deleteLinksOfPerson(tx, who.person);
    await postMail(
      tx,
      changedLetter(who.email, "Your password was changed"),
      { kind: "security" },
      now,
    );
    const cookie = await proveAgain(tx, who, { secondFactor: false, now });
    await recordPersonAct(tx, who, "person.password_changed", deps);
    return cookie;
  });
}
