import type { PasskeyCredential } from "@florin/contract/person.ts";
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import type { PersonId } from "../../core/ids.ts";
import { consumeChallenge } from "./consume-challenge.ts";
import { insertChallenge, readPasskey, readPasskeysOf, usePasskey } from "./passkey.sql.ts";
import { type ChallengePurpose, challengeTtlMs, type Passkey, relyingParty } from "./passkey.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { callWebauthn } from "./webauthn.ts";

type ChallengeFor = {
  readonly purpose: Exclude<ChallengePurpose, "register">;
  readonly person: PersonId | null;
};

/** Returns the options for a passkey request. Without a person, the browser offers every passkey for this site. */
export async function createPasskeyRequest(deps: PeopleDeps, { purpose, person }: ChallengeFor) {
  const party = relyingParty(deps.browserAddress());
  const known = person ? await readPasskeysOf(deps.database.read, person) : [];
  const options = await callWebauthn("generateAuthenticationOptions", {
    rpID: party.id,
    // The device verifies a fingerprint, a face or a PIN. A passkey alone therefore counts as two factors.
    userVerification: "required",
    timeout: challengeTtlMs,
    allowCredentials: known.map(({ credentialId }) => ({ id: credentialId.toString("base64url") })),
  });
  const expiresAt = new Date(deps.clock.now().getTime() + challengeTtlMs);
  await deps.database.autocommit((tx) =>
    insertChallenge(tx, options.challenge, { purpose, person, expiresAt }),
  );
  return options;
}

/**
 * Returns the owner of the passkey that signed our challenge. Returns null if the passkey is unknown or belongs to
 * another person, or if the challenge or the signature is invalid.
 */
export async function verifyPasskey(
  deps: PeopleDeps,
  credential: PasskeyCredential,
  expected: ChallengeFor,
): Promise<PersonId | null> {
  const now = deps.clock.now();
  const challenge = await consumeChallenge(deps, credential, expected);
  const passkey = await readPasskey(deps.database.read, Buffer.from(credential.id, "base64url"));
  if (!challenge || !passkey) return null;
  if (expected.person && passkey.person !== expected.person) return null;
  const counter = await newCount(deps, credential, passkey, challenge);
  if (counter === null) return null;
  const isFirst = await deps.database.autocommit((tx) =>
    usePasskey(tx, passkey.credentialId, { counter, at: now }),
  );
  return isFirst ? passkey.person : null;
}

/** Returns the new signature counter if the passkey signed our challenge, or null otherwise. */
async function newCount(
  deps: PeopleDeps,
  credential: PasskeyCredential,
  passkey: Passkey,
  challenge: string,
): Promise<number | null> {
  const party = relyingParty(deps.browserAddress());
  try {
    const { verified, authenticationInfo } = await callWebauthn("verifyAuthenticationResponse", {
      response: credential as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId.toString("base64url"),
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    // Any error of the library means an invalid response, not an internal error.
    return null;
  }
}
