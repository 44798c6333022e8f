import { ApiError } from "../../core/api-error.ts";
import type { PersonId } from "../../core/ids.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { readMembershipsOf } from "../accounts/member.sql.ts";
import { type Browser, createSession } from "./create-session.ts";
import { readPasskey } from "./passkey.sql.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { lockPerson } from "./person.sql.ts";
import type { Person } from "./person.ts";
import { recordPersonAuditEntry } from "./record-person-audit-entry.ts";
import { readSecondFactors } from "./second-factors.sql.ts";
import { hasSecondFactor } from "./second-factors.ts";

/**
 * The second factor of a sign-in. The session begins only if the factor still fits the person: the passkey exists, an
 * authenticator app is registered, any second factor is registered (for a recovery code), or none is (for `none`).
 * Recovery codes that are replaced during the sign-in do not stop it.
 */
export type UsedFactor =
  | { readonly kind: "none" | "totp" | "recovery_code" }
  | { readonly kind: "passkey"; readonly credentialId: Buffer };

/**
 * Signs in a person whose credentials were verified, and returns the session cookie. Records the sign-in in the audit
 * log of each account to which the person belongs. The sign-in of an operator, or of a person without an account, is
 * recorded in the service-wide log.
 *
 * @throws ApiError if the password has changed since `person` was read, or the person no longer has the factor.
 */
export async function beginSession(
  { database, clock }: PeopleDeps,
  person: Person,
  { factor, browser }: { factor: UsedFactor; browser: Browser },
): Promise<string> {
  const now = clock.now();
  const secondFactor = factor.kind !== "none";
  return database.transaction(async (tx) => {
    await assertUnchanged(tx, person, factor);
    const cookie = await createSession(tx, { person: person.id, secondFactor, browser, now });
    // The memberships are in the order of the account IDs. Each entry locks its account's audit log. Without a common
    // order, concurrent sign-ins of two members of the same accounts could deadlock.
    const memberships = await readMembershipsOf(tx, person.id);
    for (const { account } of memberships) {
      const entry = {
        account: account.id,
        livemode: null,
        actor: { kind: "person", id: person.id, session: null, name: person.email },
        action: "member.signed_in",
        object: person.id,
        after: { second_factor: secondFactor },
        ip: browser.ip,
      } as const;
      await recordAuditEntry(tx, entry, clock);
    }
    if (person.operator || memberships.length === 0) {
      const who = { person: person.id, email: person.email, session: null, ip: browser.ip };
      const after = { second_factor: secondFactor };
      await recordPersonAuditEntry(tx, who, "person.signed_in", { clock, after });
    }
    return cookie;
  });
}

/**
 * Locks the person and rejects the sign-in if the verified credentials are no longer valid. A password reset, or the
 * removal of second factors, ends all sessions. Without this check, a sign-in that was verified earlier could begin a
 * session right afterwards.
 */
async function assertUnchanged(tx: Tx, person: Person, factor: UsedFactor): Promise<void> {
  const current = await lockPerson(tx, person.id);
  const hasPassword = current?.passwordHash === person.passwordHash;
  if (hasPassword && (await isFactorUnchanged(tx, person.id, factor))) return;
  throw new ApiError(
    "sign_in_failed",
    "Your password or your two-step verification was changed during the sign-in. Sign in again.",
  );
}

async function isFactorUnchanged(tx: Tx, person: PersonId, factor: UsedFactor): Promise<boolean> {
  if (factor.kind === "passkey") {
    return (await readPasskey(tx, factor.credentialId))?.person === person;
  }
  const factors = await readSecondFactors(tx, person);
  if (factor.kind === "totp") return factors.totp;
  return hasSecondFactor(factors) === (factor.kind === "recovery_code");
}
