import type { SecondFactor, SignIn } from "@florin/contract/person.ts";
import { queueMail } from "../../platform/mail/queue-mail.ts";
import { type Counted, verifiedPasswordsOf } from "./attempt-limiter.ts";
import { recordFailedSignIn } from "./failed-sign-in.ts";
import { hashRecoveryCode } from "./issue-recovery-codes.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { readPersonByEmail } from "./person.sql.ts";
import type { Person } from "./person.ts";
import { takeRecoveryCode } from "./recovery-code.sql.ts";
import { readSecondFactors } from "./second-factors.sql.ts";
import { availableFactors, hasSecondFactor } from "./second-factors.ts";
import { credentialChangedEmail } from "./sign-in-emails.ts";
import { readTotp, takeTotpStep } from "./totp.sql.ts";
import { stepOf } from "./totp.ts";

export type CodeField = "totp_code" | "recovery_code";

export type PasswordCheck =
  | {
      readonly kind: "verified";
      readonly person: Person;
      readonly factor: "none" | "totp" | "recovery_code";
    }
  | { readonly kind: "wrong" }
  /** The password is correct, but the code in `field` is wrong or already used. */
  | { readonly kind: "wrong_code"; readonly field: CodeField }
  /** The password is correct, and a second factor is required. */
  | { readonly kind: "second_factor_required"; readonly has: readonly SecondFactor[] };

/**
 * Verifies the password of the person with this email address and the code of the second factor, if there is one.
 * Counts an attempt with a wrong password or code as failed. Takes the same time if no person has the address.
 */
export async function verifyPassword(
  deps: PeopleDeps,
  params: SignIn,
  { own, others, ip }: Counted & { readonly ip: string },
): Promise<PasswordCheck> {
  const { guard, database, passwords } = deps;
  const verified = verifiedPasswordsOf(own);
  await guard.take([own, ...others], [verified]);

  const person = await readPersonByEmail(database.read, params.email);
  const client = others.length > 0 ? "unknown" : "known";
  const isRight = await passwords.matches(params.password, person?.passwordHash ?? null, client);
  if (!person || !isRight) {
    await recordFailedSignIn(deps, { kind: "password", person: person?.id ?? null, ip });
    return { kind: "wrong" };
  }
  await guard.take([verified]);

  const factors = await readSecondFactors(database.read, person.id);
  const codeRequired = hasSecondFactor(factors);
  const brings = params.totp_code !== undefined || params.recovery_code !== undefined;
  if (codeRequired && !brings) {
    await guard.forgive([own, ...others]);
    return { kind: "second_factor_required", has: availableFactors(factors) };
  }
  if (codeRequired && !(await useCode(deps, person, params))) {
    await recordFailedSignIn(deps, { kind: "code", person: person.id, ip });
    return { kind: "wrong_code", field: params.totp_code ? "totp_code" : "recovery_code" };
  }
  await guard.pass(own, others);
  const code = params.totp_code === undefined ? "recovery_code" : "totp";
  return { kind: "verified", person, factor: codeRequired ? code : "none" };
}

function useCode(deps: PeopleDeps, person: Person, params: SignIn): Promise<boolean> {
  return params.totp_code !== undefined
    ? useTotpCode(deps, person, params.totp_code)
    : useRecoveryCode(deps, person, params.recovery_code ?? "");
}

async function useTotpCode(deps: PeopleDeps, { id }: Person, code: string): Promise<boolean> {
  const totp = await readTotp(deps.database.read, id);
  if (!totp?.confirmedAt) return false;
  const secret = await deps.secrets.decrypt(id, totp.ciphertext);
  const step = stepOf(code, secret, deps.clock.now());
  return step !== null && deps.database.autocommit((tx) => takeTotpStep(tx, id, step));
}

async function useRecoveryCode(deps: PeopleDeps, person: Person, typed: string): Promise<boolean> {
  const hash = await hashRecoveryCode(deps.secrets, person.id, typed);
  if (!hash) return false;
  const now = deps.clock.now();
  return deps.database.transaction(async (tx) => {
    if (!(await takeRecoveryCode(tx, person.id, hash, now))) return false;
    await queueMail(
      tx,
      credentialChangedEmail(person.email, "One of your recovery codes was used"),
      { kind: "security" },
      now,
    );
    return true;
  });
}
