import type { PasskeyAnswer } from "@florin/contract/person.ts";
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import type { PersonId } from "../primitives/ids.ts";
import { insertChallenge, readPasskey, readPasskeysOf, usePasskey } from "./passkey.sql.ts";
import { type ChallengePurpose, challengeLivesMs, type Passkey, relyingParty } from "./passkey.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { takeAnswered } from "./take-answered.ts";
import { webauthn } from "./webauthn.ts";

type Asked = {
  readonly purpose: Exclude<ChallengePurpose, "register">;
  readonly person: PersonId | null;
};

/** What the browser needs to ask for a passkey. Without a person, it offers all that it has for us. */
export async function askForPasskey(deps: PeopleDeps, { purpose, person }: Asked) {
  const party = relyingParty(deps.browserAddress());
  const known = person ? await readPasskeysOf(deps.database.read, person) : [];
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    // The device itself asks for a finger, a face or a PIN: that is why a passkey alone is two factors.
    userVerification: "required",
    timeout: challengeLivesMs,
    allowCredentials: known.map(({ credentialId }) => ({ id: credentialId.toString("base64url") })),
  });
  const expiresAt = new Date(deps.clock.now().getTime() + challengeLivesMs);
  await deps.database.transaction((tx) =>
    insertChallenge(tx, options.challenge, { purpose, person, expiresAt }),
  );
  return options;
}

/** Whose passkey answered our challenge; null when it is none, or the challenge is not ours or was answered. */
export async function provePasskey(
  deps: PeopleDeps,
  answer: PasskeyAnswer,
  asked: Asked,
): Promise<PersonId | null> {
  const now = deps.clock.now();
  const challenge = await takeAnswered(deps, answer, asked);
  const passkey = await readPasskey(deps.database.read, Buffer.from(answer.id, "base64url"));
  if (!challenge || !passkey) return null;
  if (asked.person && passkey.person !== asked.person) return null;
  const counter = await newCount(deps, answer, passkey, challenge);
  if (counter === null) return null;
  const isFirst = await deps.database.transaction((tx) =>
    usePasskey(tx, passkey.credentialId, { counter, at: now }),
  );
  return isFirst ? passkey.person : null;
}

/** The passkey's new count if it signed our challenge, or null. */
async function newCount(
  deps: PeopleDeps,
  answer: PasskeyAnswer,
  passkey: Passkey,
  challenge: string,
): Promise<number | null> {
  const party = relyingParty(deps.browserAddress());
  const { verifyAuthenticationResponse } = await webauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as unknown as AuthenticationResponseJSON,
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
    // Whatever the library dislikes is a wrong answer, and no fault of ours.
    return null;
  }
}
