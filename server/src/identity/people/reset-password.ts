import type { ResetPassword } from "@florin/contract/person.ts";
import { queueMail } from "../../platform/mail/queue-mail.ts";
import { passwordByLink, signInOf } from "./attempt-limiter.ts";
import { resetAttempts } from "./attempts.sql.ts";
import type { Browser } from "./create-session.ts";
import { readKnownBrowser } from "./known-browser.ts";
import { rejectWeakPassword } from "./password-rules.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { readPerson, updatePasswordHash } from "./person.sql.ts";
import { recordPersonAuditEntry } from "./record-person-audit-entry.ts";
import { deleteSessionsOf } from "./session.sql.ts";
import { credentialChangedEmail } from "./sign-in-emails.ts";
import { findLink, useLink } from "./use-link.ts";

/**
 * Sets a new password with a mailed link and returns the email address. Ends every session but keeps the second
 * factors, so that access to the person's mail alone is not enough to sign in.
 */
export async function resetPassword(
  deps: PeopleDeps,
  { token, password }: ResetPassword,
  { ip, cookies }: Pick<Browser, "ip"> & { cookies: string | undefined },
): Promise<string> {
  const link = await findLink(deps, "reset_password", token);
  const known = await readPerson(deps.database.read, link.person);
  await rejectWeakPassword(password, { email: link.email, name: known?.name ?? "" });
  const browser = await readKnownBrowser(deps.secrets, cookies, link.email);
  const client = browser ? "known" : "unknown";
  await deps.guard.take([passwordByLink(token, client)]);
  const hash = await deps.passwords.hash(password, client);
  const now = deps.clock.now();
  await deps.database.transaction(async (tx) => {
    const { person, email } = await useLink(tx, "reset_password", token, now);
    await updatePasswordHash(tx, person, hash);
    await deleteSessionsOf(tx, person, null);
    // Ends a lock-out, because the link identifies the person (PCI DSS 8.3.4).
    await resetAttempts(tx, signInOf(email, null).key);
    if (browser) await resetAttempts(tx, signInOf(email, browser).key);
    await queueMail(
      tx,
      credentialChangedEmail(email, "Your password was changed"),
      { kind: "security" },
      now,
    );
    const who = { person, email, session: null, ip };
    await recordPersonAuditEntry(tx, who, "person.password_reset", deps);
  });
  return link.email;
}
