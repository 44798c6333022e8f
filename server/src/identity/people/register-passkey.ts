import type { RegisterPasskey } from "@florin/contract/person.ts";
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import { ApiError } from "../../core/api-error.ts";
import { uuidOf } from "../../core/ids.ts";
import { addFactor, type FactorAdded } from "./add-factor.ts";
import { consumeChallenge } from "./consume-challenge.ts";
import { insertChallenge, insertPasskey, readPasskeysOf } from "./passkey.sql.ts";
import { challengeTtlMs, type Passkey, relyingParty } from "./passkey.ts";
import type { PeopleDeps } from "./people-deps.ts";
import type { SignedIn } from "./session.ts";
import { callWebauthn } from "./webauthn.ts";

/** The maximum number of passkeys of a person, far more than the number of devices that a person uses. */
const maxPasskeys = 20;

export async function createPasskeyRegistration(deps: PeopleDeps, who: SignedIn) {
  const party = relyingParty(deps.browserAddress());
  const known = await readPasskeysOf(deps.database.read, who.person);
  if (known.length >= maxPasskeys) throw tooManyPasskeys();
  const options = await callWebauthn("generateRegistrationOptions", {
    rpName: party.name,
    rpID: party.id,
    userID: new Uint8Array(Buffer.from(uuidOf(who.person).replaceAll("-", ""), "hex")),
    userName: who.email,
    userDisplayName: who.name,
    attestationType: "none",
    timeout: challengeTtlMs,
    // Each device needs only one passkey.
    excludeCredentials: known.map(({ credentialId }) => ({
      id: credentialId.toString("base64url"),
    })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const expiresAt = new Date(deps.clock.now().getTime() + challengeTtlMs);
  await deps.database.autocommit((tx) =>
    insertChallenge(tx, options.challenge, { purpose: "register", person: who.person, expiresAt }),
  );
  return options;
}

export async function registerPasskey(
  deps: PeopleDeps,
  who: SignedIn,
  { credential, name }: RegisterPasskey,
): Promise<FactorAdded> {
  const expected = { purpose: "register", person: who.person } as const;
  const challenge = await consumeChallenge(deps, credential, expected);
  const registered = challenge && (await verify(deps, credential, challenge));
  if (!registered) throw notRegistered();
  const passkey: Passkey = {
    credentialId: Buffer.from(registered.id, "base64url"),
    person: who.person,
    name: name.trim(),
    publicKey: Buffer.from(registered.publicKey),
    counter: registered.counter,
    transports: registered.transports ?? [],
    createdAt: deps.clock.now(),
    lastUsedAt: null,
  };
  const news = "A passkey was added to your account";
  return addFactor(deps, who, { kind: "passkey", news }, (tx) => insertPasskey(tx, passkey));
}

async function verify(
  deps: PeopleDeps,
  credential: RegisterPasskey["credential"],
  expectedChallenge: string,
) {
  const party = relyingParty(deps.browserAddress());
  try {
    const { registrationInfo } = await callWebauthn("verifyRegistrationResponse", {
      response: credential as unknown as RegistrationResponseJSON,
      expectedChallenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    });
    return registrationInfo?.credential ?? null;
  } catch {
    // Any error of the library means an invalid response, not an internal error.
    return null;
  }
}

function notRegistered(): ApiError {
  return new ApiError(
    "credentials_invalid",
    "The passkey's response does not match the request. Try to add the passkey again.",
  );
}

function tooManyPasskeys(): ApiError {
  return new ApiError(
    "status_transition_invalid",
    `You have reached the maximum of ${maxPasskeys} passkeys. Remove one first.`,
  );
}
