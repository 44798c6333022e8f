import type { PasskeyResponse } from "@florin/contract/person.ts";
import type { PersonId } from "../../core/ids.ts";
import { takeChallenge } from "./passkey.sql.ts";
import type { ChallengePurpose } from "./passkey.ts";
import type { PeopleDeps } from "./people-deps.ts";

/**
 * Deletes and returns the challenge that the response contains. Null when it is not ours, or was made for another
 * purpose. The signature is still to be verified.
 */
export async function consumeChallenge(
  { database, clock }: PeopleDeps,
  answer: PasskeyResponse,
  asked: { readonly purpose: ChallengePurpose; readonly person: PersonId | null },
): Promise<string | null> {
  const challenge = challengeIn(answer);
  if (challenge === null) return null;
  const now = clock.now();
  const isOurs = await database.transaction((tx) =>
    takeChallenge(tx, challenge, { ...asked, now }),
  );
  return isOurs ? challenge : null;
}

function challengeIn({ response }: PasskeyResponse): string | null {
  try {
    const clientData = Buffer.from(response.clientDataJSON, "base64url").toString();
    const { challenge } = JSON.parse(clientData) as { challenge?: unknown };
    return typeof challenge === "string" && /^[\w-]{16,128}$/.test(challenge) ? challenge : null;
  } catch {
    return null;
  }
}
