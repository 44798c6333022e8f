import {
  Me,
  PasskeyObject,
  SessionEnded,
  SessionsEnded,
  SignInSession,
  statusOf,
  wholeListOf,
} from "@florin/contract/person.ts";
import { noSuch } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, parseId, type SessionId } from "../../core/ids.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { ok } from "../../platform/http/route.ts";
import { browserName } from "./browser-name.ts";
import { renewToken } from "./create-session.ts";
import { passkeyObject } from "./credentials.routes.ts";
import { describeSignedInPerson } from "./describe-signed-in-person.ts";
import { markBrowser } from "./known-browser.ts";
import { readPasskeysOf } from "./passkey.sql.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { deleteSession, deleteSessionsOf, readSessionsOf } from "./session.sql.ts";
import { isOver, type Session, type SignedIn } from "./session.ts";
import { clearedCookie } from "./session-cookie.ts";

/** Routes for the signed-in person and their sessions. */
export function sessionRoutes(deps: PeopleDeps): BrowserRoute<SignedIn>[] {
  const { database, clock, secrets } = deps;
  const route = browserRoute<SignedIn>();
  return [
    route({
      method: "GET",
      path: "/me",
      response: Me,
      handle: async ({ caller }) => ok(await describeSignedInPerson(deps, caller)),
    }),
    route({
      method: "GET",
      path: "/passkeys",
      response: wholeListOf(PasskeyObject),
      async handle({ caller }) {
        const passkeys = await readPasskeysOf(database.read, caller.person);
        return ok({ object: "list", data: passkeys.map(passkeyObject) });
      },
    }),
    route({
      method: "POST",
      path: "/session/renew",
      response: statusOf("session", "renewed"),
      async handle({ caller, cookies }) {
        const { email } = caller;
        // Marks the browser for this person again, because another person may have signed in on this browser in the
        // meantime.
        const known = await markBrowser(secrets, cookies, email);
        const cookie = await database.autocommit((tx) => renewToken(tx, caller));
        return { ...ok({ object: "session", status: "renewed" }), cookie: [cookie, ...known] };
      },
    }),
    route({
      method: "POST",
      path: "/sign_out",
      response: SessionEnded,
      async handle({ caller }) {
        await database.autocommit((tx) => deleteSession(tx, caller.person, caller.session));
        return { ...ok({ object: "session", deleted: true }), cookie: clearedCookie };
      },
    }),
    route({
      method: "GET",
      path: "/sessions",
      response: wholeListOf(SignInSession),
      async handle({ caller }) {
        const now = clock.now();
        const sessions = await readSessionsOf(database.read, caller.person);
        const open = sessions.filter((session) => !isOver(session, now));
        return ok({
          object: "list",
          data: open.map((session) => sessionObject(session, caller.session)),
        });
      },
    }),
    route({
      method: "POST",
      path: "/sessions/sign_out_others",
      response: SessionsEnded,
      async handle({ caller }) {
        const ended = await database.autocommit((tx) =>
          deleteSessionsOf(tx, caller.person, caller.session),
        );
        return ok({ object: "sessions", ended });
      },
    }),
    route({
      method: "DELETE",
      path: "/sessions/:id",
      response: SessionEnded,
      async handle({ caller, params }) {
        const text = params.id ?? "";
        const id = parseId("ses", text);
        const ended =
          id && (await database.autocommit((tx) => deleteSession(tx, caller.person, id)));
        if (!ended) throw noSuch("session", text);
        return ok({ id, object: "session", deleted: true });
      },
    }),
  ];
}

function sessionObject(session: Session, current: SessionId): SignInSession {
  return {
    object: "session",
    id: session.id,
    current: session.id === current,
    created: unixSeconds(createdAt(session.id)),
    last_seen: unixSeconds(session.lastSeenAt),
    ip: session.ip,
    browser: browserName(session.userAgent),
  };
}
