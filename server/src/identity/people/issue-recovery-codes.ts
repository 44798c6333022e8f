import { randomInt } from "node:crypto";
import { ApiError } from "../../core/api-error.ts";
import type { PersonId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { queueMail } from "../../platform/mail/queue-mail.ts";
import { assertStillSignedIn } from "./create-session.ts";
import type { PeopleDeps, PersonSecrets } from "./people-deps.ts";
import { lockPerson } from "./person.sql.ts";
import { recordPersonAuditEntry } from "./record-person-audit-entry.ts";
import { replaceRecoveryCodes } from "./recovery-code.sql.ts";
import { readSecondFactors } from "./second-factors.sql.ts";
import { hasSecondFactor } from "./second-factors.ts";
import type { SignedIn } from "./session.ts";
import { credentialChangedEmail } from "./sign-in-emails.ts";

/** Replaces all recovery codes with ten new ones. The response contains their text, which is not stored. */
export async function issueRecoveryCodes(
  secrets: PersonSecrets,
  tx: Tx,
  person: PersonId,
): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
  const hashes = await Promise.all(codes.map((code) => hashRecoveryCode(secrets, person, code)));
  await replaceRecoveryCodes(tx, person, hashes as Buffer[]);
  return codes;
}

/** Returns the hash of a typed code, or null if the text cannot be a code. */
export async function hashRecoveryCode(
  secrets: PersonSecrets,
  person: PersonId,
  typed: string,
): Promise<Buffer | null> {
  const code = plainRecoveryCode(typed);
  return code === null ? null : secrets.mac(`recovery_code|${person}|${code}`);
}

/** Replaces the recovery codes of a person who has used up or lost them. */
export async function renewRecoveryCodes(deps: PeopleDeps, who: SignedIn): Promise<string[]> {
  const { database, secrets, clock } = deps;
  return database.transaction(async (tx) => {
    await lockPerson(tx, who.person);
    await assertStillSignedIn(tx, who);
    if (!hasSecondFactor(await readSecondFactors(tx, who.person))) throw nothingToRecover();
    await queueMail(
      tx,
      credentialChangedEmail(who.email, "Your recovery codes were replaced"),
      { kind: "security" },
      clock.now(),
    );
    const codes = await issueRecoveryCodes(secrets, tx, who.person);
    await recordPersonAuditEntry(tx, who, "person.recovery_codes_replaced", { clock });
    return codes;
  });
}

function nothingToRecover(): ApiError {
  return new ApiError(
    "status_transition_invalid",
    "Recovery codes require two-step verification. Add a passkey or an authenticator app first.",
  );
}

/** Excludes letters that are easily confused with digits. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const groups = 3;
const lettersInGroup = 4;

/** The number of recovery codes, few enough to copy by hand. */
const recoveryCodeCount = 10;

/** Returns twelve characters of base32: 60 random bits, too many to guess under the sign-in rate limits. */
function newRecoveryCode(): string {
  return Array.from({ length: groups }, () =>
    Array.from({ length: lettersInGroup }, () => alphabet[randomInt(alphabet.length)]).join(""),
  ).join("-");
}

/** Returns the normal form of a typed code, or null if the text cannot be a recovery code. */
function plainRecoveryCode(typed: string): string | null {
  const code = typed.toLowerCase().replace(/[\s-]/g, "").replace(/o/g, "0").replace(/[il]/g, "1");
  return /^[0-9a-hjkmnp-tv-z]{12}$/.test(code) ? code : null;
}
