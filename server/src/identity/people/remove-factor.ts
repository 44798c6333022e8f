import { ApiError } from "../../core/api-error.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { queueMail } from "../../platform/mail/queue-mail.ts";
import type { FactorKind } from "./add-factor.ts";
import { assertStillSignedIn } from "./create-session.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { lockPerson } from "./person.sql.ts";
import { recordPersonAuditEntry } from "./record-person-audit-entry.ts";
import { deleteRecoveryCodes } from "./recovery-code.sql.ts";
import { readSecondFactors } from "./second-factors.sql.ts";
import { hasSecondFactor } from "./second-factors.ts";
import type { SignedIn } from "./session.ts";
import { credentialChangedEmail } from "./sign-in-emails.ts";

/**
 * Removes a second factor. `remove` returns false when the person does not have the factor. Rejects the removal of an
 * operator's last second factor.
 */
export async function removeFactor(
  { database, clock }: PeopleDeps,
  who: SignedIn,
  { kind, news }: { readonly kind: FactorKind; readonly news: string },
  remove: (tx: Tx) => Promise<boolean>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const person = await lockPerson(tx, who.person);
    await assertStillSignedIn(tx, who);
    if (!(await remove(tx))) return false;
    if (!hasSecondFactor(await readSecondFactors(tx, who.person))) {
      if (person?.operator) throw operatorNeedsOne();
      await deleteRecoveryCodes(tx, who.person);
    }
    await queueMail(tx, credentialChangedEmail(who.email, news), { kind: "security" }, clock.now());
    const after = { second_factor: kind };
    await recordPersonAuditEntry(tx, who, "person.second_factor_removed", { clock, after });
    return true;
  });
}

function operatorNeedsOne(): ApiError {
  return new ApiError(
    "second_factor_required",
    "An operator must use two-step verification. Add another passkey or an authenticator app before you remove this one.",
  );
}
