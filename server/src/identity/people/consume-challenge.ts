import type { PasskeyCredential } from "@florin/contract/person.ts";
import type { PersonId } from "../../core/ids.ts";
import { takeChallenge } from "./passkey.sql.ts";
import type { ChallengePurpose } from "./passkey.ts";
import type { PeopleDeps } from "./people-deps.ts";

/**
 * Deletes and returns the challenge that the response contains. Returns null unless this service created the challenge
 * for this purpose and person, and the challenge is neither expired nor used. Does not verify the signature.
 */
export async function consumeChallenge(
  { database, clock }: PeopleDeps,
  credential: PasskeyCredential,
  expected: { readonly purpose: ChallengePurpose; readonly person: PersonId | null },
): Promise<string | null> {
  const challenge = challengeIn(credential);
  if (challenge === null) return null;
  const now = clock.now();
  const isIssued = await database.autocommit((tx) =>
    takeChallenge(tx, challenge, { ...expected, now }),
  );
  return isIssued ? challenge : null;
}

function challengeIn({ response }: PasskeyCredential): string | null {
  try {
    const clientData = Buffer.from(response.clientDataJSON, "base64url").toString();
    const { challenge } = JSON.parse(clientData) as { challenge?: unknown };
    return typeof challenge === "string" && /^[\w-]{16,128}$/.test(challenge) ? challenge : null;
  } catch {
    return null;
  }
}
