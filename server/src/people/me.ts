import assert from "node:assert/strict";
import type { Me } from "@florin/contract/person.ts";
import { unixSeconds } from "../primitives/clock.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { readSessionsOf } from "./session.sql.ts";
import { expiresAt, type SignedIn } from "./session.ts";

/** Who is signed in, how, and which merchants they work for. */
export async function describeMe(deps: PeopleDeps, signedIn: SignedIn): Promise<Me> {
  const { read } = deps.database;
  const [sessions, memberships] = await Promise.all([
    readSessionsOf(read, signedIn.person),
    deps.membershipsOf(read, signedIn.person),
  ]);
  const session = sessions.find(({ id }) => id === signedIn.session);
  assert(session, `${signedIn.session} was read a moment ago`);
  return {
    object: "person",
    id: signedIn.person,
    email: signedIn.email,
    name: signedIn.name,
    operator: signedIn.operator,
    second_factors: { totp: false, passkeys: 0, recovery_codes_left: 0 },
    session: {
      id: session.id,
      second_factor: session.secondFactor,
      proved_at: unixSeconds(session.provedAt),
      expires_at: unixSeconds(expiresAt(session)),
    },
    memberships,
  };
}
