import { ApiError } from "../../core/api-error.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { queueMail } from "../../platform/mail/queue-mail.ts";
import { renewAfterStepUp } from "./create-session.ts";
import { issueRecoveryCodes } from "./issue-recovery-codes.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { lockPerson } from "./person.sql.ts";
import { recordPersonAuditEntry } from "./record-person-audit-entry.ts";
import { readSecondFactors } from "./second-factors.sql.ts";
import { hasSecondFactor } from "./second-factors.ts";
import { deleteSessionsOf } from "./session.sql.ts";
import type { SignedIn } from "./session.ts";
import { credentialChangedEmail } from "./sign-in-emails.ts";

/** The second factor as shown in the audit log. */
export type FactorKind = "authenticator_app" | "passkey";

export type FactorAdded = {
  /** The session's cookie with a new token, because the session now counts as confirmed with a second factor. */
  readonly cookie: string;
  /** The recovery codes that the first factor creates. Null for every further factor. */
  readonly recoveryCodes: readonly string[] | null;
};

/**
 * Adds a second factor and notifies the person. The person's first second factor also creates recovery codes and ends
 * all other sessions. `add` returns false when a concurrent request has added the factor.
 */
export async function addFactor(
  { database, clock, secrets }: PeopleDeps,
  who: SignedIn,
  { kind, news }: { readonly kind: FactorKind; readonly news: string },
  add: (tx: Tx) => Promise<boolean>,
): Promise<FactorAdded> {
  const now = clock.now();
  const after = { second_factor: kind };
  return database.transaction(async (tx) => {
    await lockPerson(tx, who.person);
    const before = await readSecondFactors(tx, who.person);
    if (!(await add(tx))) throw alreadyRegistered();
    const isFirst = !hasSecondFactor(before);
    const recoveryCodes = isFirst ? await issueRecoveryCodes(secrets, tx, who.person) : null;
    // Ends the other sessions, which were started with a password alone. A password alone is no longer sufficient.
    if (isFirst) await deleteSessionsOf(tx, who.person, who.session);
    await queueMail(tx, credentialChangedEmail(who.email, news), { kind: "security" }, now);
    const cookie = await renewAfterStepUp(tx, who, { secondFactor: true, now });
    await recordPersonAuditEntry(tx, who, "person.second_factor_added", { clock, after });
    return { cookie, recoveryCodes };
  });
}

function alreadyRegistered(): ApiError {
  return new ApiError(
    "resource_already_exists",
    "This passkey or authenticator app is already registered. Check the list of your sign-in methods.",
  );
}
