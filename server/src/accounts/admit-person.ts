import { roles } from "@florin/contract/roles.ts";
import type { FastifyRequest } from "fastify";
import type { Database } from "../database/database.ts";
import type { Admit } from "../http/caller.ts";
import { refuseOtherSites } from "../http/same-origin.ts";
import type { ReadSession } from "../people/session.ts";
import { ApiError, noSuch } from "../primitives/api-error.ts";
import { briefly, withinASecondMs } from "../primitives/briefly.ts";
import { type AccountId, type PersonId, parseId } from "../primitives/ids.ts";
import { readMemberOf } from "./member.sql.ts";

export type AdmitPersonDeps = {
  readonly database: Database;
  readonly readSession: ReadSession;
};

/**
 * The second way through the gate of the API: a browser's session, and in headers which account and mode it asks for.
 * A form on another site can send neither header, and what it could send is refused by where it comes from.
 */
export function openAdmitPerson({ database, readSession }: AdmitPersonDeps): Admit {
  // Somebody removed from a team, or given another role, is what they are now everywhere in time.
  const memberOf = briefly(withinASecondMs, (key: string) => {
    const [account, person] = key.split(" ") as [AccountId, PersonId];
    return readMemberOf(database.read, account, person);
  });

  return async (request) => {
    const signedIn = await readSession(request);
    if (!signedIn) throw new ApiError("sign_in_required", "Nobody is signed in in this browser.");
    refuseOtherSites(request);

    const text = String(request.headers["florin-account"]);
    const account = parseId("acct", text);
    const member = account && (await memberOf(`${account} ${signedIn.person}`));
    // Whether there is such an account is not for strangers to know.
    if (!member) throw noSuch("account", text);
    const livemode = modeIn(request);
    if (livemode && !signedIn.secondFactor) throw secondFactorRequired();
    return {
      owner: { account: member.account, livemode },
      actor: {
        kind: "person",
        id: signedIn.person,
        session: signedIn.session,
        name: signedIn.email,
      },
      permissions: roles[member.role].permissions,
      provedAt: signedIn.provedAt,
      // People are counted one by one, whatever their merchant's servers may do.
      requestsPerSecond: null,
    };
  };
}

function modeIn({ headers }: FastifyRequest): boolean {
  const mode = headers["florin-mode"];
  if (mode === "live" || mode === "test") return mode === "live";
  throw new ApiError(
    mode === undefined ? "parameter_missing" : "parameter_invalid",
    "The header Florin-Mode must say 'test' or 'live'.",
    { param: "Florin-Mode" },
  );
}

function secondFactorRequired(): ApiError {
  return new ApiError(
    "second_factor_required",
    "Live mode is open to people who signed in with a second factor. Set up a passkey or an authenticator app, and sign in with it.",
  );
}
