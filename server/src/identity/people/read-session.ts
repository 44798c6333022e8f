import { ApiError } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { clientAddress } from "../../core/network.ts";
import type { Database } from "../../platform/database/database.ts";
import { hashSecretText } from "./secret-text.ts";
import { readSessionByToken, touchSession } from "./session.sql.ts";
import { isOver, type ReadSession, seenEveryMs } from "./session.ts";
import { tokenIn } from "./session-cookie.ts";

export function createSessionReader(deps: { database: Database; clock: Clock }): ReadSession {
  const { database, clock } = deps;

  return async (request) => {
    const token = tokenIn(request.headers.cookie);
    if (token === null) return null;
    const now = clock.now();
    const tokenHash = hashSecretText(token);
    const session = await readSessionByToken(database.read, tokenHash);
    if (!session || isOver(session, now)) throw signedOut();
    const seenBefore = new Date(now.getTime() - seenEveryMs);
    // A page that polls in the background sends this header. Its requests must not extend the session.
    const isIdle = request.headers["florin-away"] !== undefined;
    if (session.lastSeenAt <= seenBefore && !isIdle) {
      await database.autocommit((tx) => touchSession(tx, session.id, now, seenBefore));
    }
    return {
      session: session.id,
      tokenHash,
      person: session.person,
      email: session.email,
      name: session.name,
      secondFactor: session.secondFactor,
      authenticatedAt: session.authenticatedAt,
      operator: session.operator,
      ip: clientAddress(request.ip),
    };
  };
}

export function signedOut(): ApiError {
  return new ApiError("sign_in_required", "Your session has ended or expired. Sign in again.");
}
