import type { Me } from "@florin/contract/person.ts";
import { unixSeconds } from "../../core/clock.ts";
import { readMembershipsOf } from "../accounts/member.sql.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { signedOut } from "./read-session.ts";
import { readSecondFactors } from "./second-factors.sql.ts";
import { readSessionsOf } from "./session.sql.ts";
import { expiresAt, type SignedIn } from "./session.ts";

/** Returns the signed-in person, the session and the person's memberships. */
export async function describeSignedInPerson(deps: PeopleDeps, signedIn: SignedIn): Promise<Me> {
  const { read } = deps.database;
  const [sessions, memberships, factors] = await Promise.all([
    readSessionsOf(read, signedIn.person),
    readMembershipsOf(read, signedIn.person),
    readSecondFactors(read, signedIn.person),
  ]);
  const session = sessions.find(({ id }) => id === signedIn.session);
  // Another request ended the session after this request was authenticated.
  if (!session) throw signedOut();
  return {
    object: "person",
    id: signedIn.person,
    email: signedIn.email,
    name: signedIn.name,
    operator: signedIn.operator,
    second_factors: {
      totp: factors.totp,
      passkeys: factors.passkeys,
      recovery_codes_left: factors.recoveryCodesLeft,
    },
    session: {
      id: session.id,
      second_factor: session.secondFactor,
      authenticated_at: unixSeconds(session.authenticatedAt),
      expires_at: unixSeconds(expiresAt(session)),
    },
    memberships,
  };
}
