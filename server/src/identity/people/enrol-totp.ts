import { ApiError } from "../../core/api-error.ts";
import { addFactor, type FactorAdded } from "./add-factor.ts";
import { stepUpsOf } from "./attempt-limiter.ts";
import type { PeopleDeps } from "./people-deps.ts";
import type { SignedIn } from "./session.ts";
import { confirmTotp, readTotp, upsertTotp } from "./totp.sql.ts";
import { describeTotp, newTotpSecret, stepOf } from "./totp.ts";

/** Creates a secret for an authenticator app. It becomes a second factor when a code from the app confirms it. */
export async function beginTotp(deps: PeopleDeps, who: SignedIn) {
  const secret = newTotpSecret();
  const ciphertext = await deps.secrets.encrypt(who.person, secret);
  const inserted = await deps.database.autocommit((tx) => upsertTotp(tx, who.person, ciphertext));
  if (!inserted) throw alreadyConfirmed();
  return describeTotp(secret, who.email);
}

export async function finishTotp(
  deps: PeopleDeps,
  who: SignedIn,
  code: string,
): Promise<FactorAdded> {
  const totp = await readTotp(deps.database.read, who.person);
  if (!totp) throw notStarted();
  if (totp.confirmedAt) throw alreadyConfirmed();
  const own = stepUpsOf(who.person);
  await deps.guard.take([own]);
  const now = deps.clock.now();
  const step = stepOf(code, await deps.secrets.decrypt(who.person, totp.ciphertext), now);
  if (step === null) throw wrongCode();
  await deps.guard.pass(own, []);
  const news = "An authenticator app was added to your account";
  return addFactor(deps, who, { kind: "authenticator_app", news }, (tx) =>
    confirmTotp(tx, who.person, { ciphertext: totp.ciphertext, step, at: now }),
  );
}

function alreadyConfirmed(): ApiError {
  return new ApiError(
    "resource_already_exists",
    "An authenticator app is already registered. Remove it before you set up another.",
  );
}

function notStarted(): ApiError {
  return new ApiError(
    "status_transition_invalid",
    "The setup has not started. Request the QR code first, then send the app's code.",
  );
}

function wrongCode(): ApiError {
  return new ApiError(
    "credentials_invalid",
    "The code does not match the app's current code. Check the clock of the device and try again.",
    { param: "totp_code" },
  );
}
