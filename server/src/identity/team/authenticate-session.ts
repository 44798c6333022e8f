import { roles } from "@florin/contract/roles.ts";
import type { FastifyRequest } from "fastify";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { type AccountId, type PersonId, parseId } from "../../core/ids.ts";
import { cacheUntilChanged } from "../../platform/changes/cache-until-changed.ts";
import type { CacheValidity } from "../../platform/changes/change-feed.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Admit } from "../../platform/http/caller.ts";
import { rejectCrossSiteRequests } from "../../platform/http/same-origin.ts";
import { readMemberOf } from "../accounts/member.sql.ts";
import type { Member } from "../accounts/member.ts";
import type { ReadSession } from "../people/session.ts";

export type SessionAuthenticationDeps = {
  readonly database: Database;
  readonly changes: CacheValidity;
  readonly readSession: ReadSession;
};

/**
 * Authenticates API requests by a browser's session, with the account and mode in headers. An HTML form on another
 * site cannot send these headers, and other cross-site requests are rejected by their origin.
 */
export function createSessionAuthentication({
  database,
  changes,
  readSession,
}: SessionAuthenticationDeps): Admit {
  const members = cacheUntilChanged<Member>(changes, {
    read(key) {
      const [account, person] = key.split(" ") as [AccountId, PersonId];
      return readMemberOf(database.read, account, person);
    },
    accountOf: ({ account }) => account,
  });

  return async (request) => {
    const signedIn = await readSession(request);
    if (!signedIn)
      throw new ApiError("sign_in_required", "This browser is not signed in. Sign in first.");
    rejectCrossSiteRequests(request);

    const text = String(request.headers["florin-account"]);
    const account = parseId("acct", text);
    const member = account && (await members.get(`${account} ${signedIn.person}`));
    // Throws a 404 instead of a 403, so that a person who is not a member cannot find out whether the account exists.
    if (!member) throw noSuch("account", text);
    const livemode = modeIn(request);
    if (livemode && !signedIn.secondFactor) throw secondFactorRequired();
    return {
      scope: { account: member.account, livemode },
      actor: {
        kind: "person",
        id: signedIn.person,
        session: signedIn.session,
        name: signedIn.email,
      },
      permissions: roles[member.role].permissions,
      authenticatedAt: signedIn.authenticatedAt,
      // People have a separate default limit, independent of the merchant's.
      requestsPerSecond: null,
    };
  };
}

function modeIn({ headers }: FastifyRequest): boolean {
  const mode = headers["florin-mode"];
  if (mode === "live" || mode === "test") return mode === "live";
  throw new ApiError(
    mode === undefined ? "parameter_missing" : "parameter_invalid",
    "The `Florin-Mode` header must be `test` or `live`.",
    { param: "Florin-Mode" },
  );
}

function secondFactorRequired(): ApiError {
  return new ApiError(
    "second_factor_required",
    "Live mode requires two-step verification. Set up a passkey or an authenticator app, and sign in with it.",
  );
}
