import { queueMail } from "../../platform/mail/queue-mail.ts";
import { passwordChangeOf } from "./attempt-limiter.ts";
import { renewAfterStepUp } from "./create-session.ts";
import { deleteLinksOfPerson } from "./link.sql.ts";
import { rejectWeakPassword } from "./password-rules.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { updatePasswordHash } from "./person.sql.ts";
import { recordPersonAuditEntry } from "./record-person-audit-entry.ts";
import { deleteSessionsOf } from "./session.sql.ts";
import type { SignedIn } from "./session.ts";
import { credentialChangedEmail } from "./sign-in-emails.ts";

/**
 * Changes the password and returns a new cookie for this session. Ends every other session and revokes password reset
 * links, so that anyone who used the old password loses access.
 */
export async function changePassword(
  deps: PeopleDeps,
  who: SignedIn,
  password: string,
): Promise<string> {
  await rejectWeakPassword(password, who);
  await deps.guard.take([passwordChangeOf(who.person)]);
  const hash = await deps.passwords.hash(password, "known");
  const now = deps.clock.now();
  return deps.database.transaction(async (tx) => {
    await updatePasswordHash(tx, who.person, hash);
    await deleteSessionsOf(tx, who.person, who.session);
    await deleteLinksOfPerson(tx, who.person);
    await queueMail(
      tx,
      credentialChangedEmail(who.email, "Your password was changed"),
      { kind: "security" },
      now,
    );
    const cookie = await renewAfterStepUp(tx, who, { secondFactor: false, now });
    await recordPersonAuditEntry(tx, who, "person.password_changed", deps);
    return cookie;
  });
}
