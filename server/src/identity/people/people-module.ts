import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../../core/api-error.ts";
import { equalsInConstantTime } from "../../core/equals-in-constant-time.ts";
import type { Access } from "../../platform/http/access.ts";
import { bearerOf } from "../../platform/http/bearer.ts";
import { serveBrowserRoutes } from "../../platform/http/browser-routes.ts";
import { assertCredentialsVerified } from "../../platform/http/caller.ts";
import { isFromThisMachine } from "../../platform/http/loopback-request.ts";
import { type AttemptLimiter, createAttemptLimiter } from "./attempt-limiter.ts";
import { browserAddress, isSafeAddress } from "./browser-address.ts";
import { credentialRoutes } from "./credentials.routes.ts";
import { inboxRoutes, serviceRoutes } from "./inbox.routes.ts";
import { createPasswords, type Passwords } from "./password.ts";
import type { PeopleDeps, PersonSecrets } from "./people-deps.ts";
import { createSessionReader } from "./read-session.ts";
import { sessionRoutes } from "./session.routes.ts";
import type { ReadSession, SignedIn } from "./session.ts";
import { signInRoutes } from "./sign-in.routes.ts";
import { stepUpRoutes } from "./step-up.routes.ts";

export type PeopleOptions = Omit<PeopleDeps, "guard" | "passwords" | "browserAddress"> & {
  readonly publicUrl: () => string;
  /** The secret in the link to the demo's inbox, which shows unsent mail. Null without an inbox. */
  readonly inboxSecret: string | null;
  /** True if the service has a mail server. */
  readonly sendsMail: boolean;
  /** The environment of the acquirers that live mode uses. */
  readonly acquirers: "live" | "sandbox";
  /** The lock-out time of a sign-in after too many failures. By default the shortest that PCI DSS allows. */
  readonly lockOutMs?: number;
};

export type PeopleModule = {
  readonly readSession: ReadSession;
  readonly passwords: Passwords;
  readonly guard: AttemptLimiter;
  readonly secrets: PersonSecrets;
  /** The origin at which people's browsers reach the dashboard. */
  readonly browserAddress: () => string;
  /**
   * Admits requests to the public routes that other modules serve below `/auth/v1`. `admitSignedIn` is for the routes
   * that require a signed-in person.
   */
  admitAnyone(request: FastifyRequest): Promise<null>;
  admitSignedIn(request: FastifyRequest): Promise<SignedIn>;
  serve(http: FastifyInstance): void;
};

export const authPrefix = "/auth/v1";
export const publicAccess: Access = { authentication: "public", limit: "people" };
export const signedInAccess: Access = { authentication: "session", limit: "people" };

/** Creates the sign-in routes and their dependencies. The routes are separate from the merchants' API. */
export function createPeopleModule({
  publicUrl,
  inboxSecret,
  sendsMail,
  acquirers,
  lockOutMs,
  ...options
}: PeopleOptions): PeopleModule {
  const deps: PeopleDeps = {
    ...options,
    guard: createAttemptLimiter({ ...options, ...(lockOutMs !== undefined && { lockOutMs }) }),
    passwords: createPasswords(),
    browserAddress: () => browserAddress(publicUrl()),
  };
  const readSession = createSessionReader(deps);

  async function admitAnyone(request: FastifyRequest): Promise<null> {
    rejectUnsafe(request, publicUrl());
    return null;
  }

  /**
   * Admits only browsers that opened the inbox link, because the mail contains sign-in links. A check of the client's
   * address is not enough: requests through a local proxy that adds no headers look like those of a browser on this
   * machine.
   */
  async function admitInbox(request: FastifyRequest, secret: string): Promise<null> {
    if (!isFromThisMachine(request)) {
      throw new ApiError(
        "endpoint_unknown",
        "The demo inbox is served only to browsers on the computer that runs Florin. Open it at `http://localhost`, without a proxy.",
      );
    }
    if (!equalsInConstantTime(bearerOf(request), secret)) {
      throw new ApiError(
        "link_invalid",
        "The link to the demo inbox is incomplete or was replaced. Open the link that the server printed when it last started.",
      );
    }
    return admitAnyone(request);
  }

  async function admitSignedIn(request: FastifyRequest): Promise<SignedIn> {
    await admitAnyone(request);
    const signedIn = await readSession(request);
    if (signedIn) return signedIn;
    throw new ApiError("sign_in_required", "This browser is not signed in. Sign in first.");
  }

  async function admitAfterStepUp(request: FastifyRequest): Promise<SignedIn> {
    const signedIn = await admitSignedIn(request);
    assertCredentialsVerified(true, signedIn, undefined, deps.clock.now());
    return signedIn;
  }

  return {
    readSession,
    passwords: deps.passwords,
    guard: deps.guard,
    secrets: deps.secrets,
    browserAddress: deps.browserAddress,
    admitAnyone,
    admitSignedIn,
    serve(http) {
      serveBrowserRoutes(http, {
        prefix: authPrefix,
        access: publicAccess,
        admit: admitAnyone,
        routes: signInRoutes(deps),
      });
      serveBrowserRoutes(http, {
        prefix: authPrefix,
        access: publicAccess,
        // The response contains no secret, so HTTPS is not required.
        admit: async (request) => inboxSecret !== null && isFromThisMachine(request),
        routes: serviceRoutes({ acquirers, sends_email: sendsMail }),
      });
      if (inboxSecret !== null) {
        serveBrowserRoutes(http, {
          prefix: authPrefix,
          access: publicAccess,
          admit: (request) => admitInbox(request, inboxSecret),
          routes: inboxRoutes(deps),
        });
      }
      const routes = [...sessionRoutes(deps), ...stepUpRoutes(deps)];
      serveBrowserRoutes(http, {
        prefix: authPrefix,
        access: signedInAccess,
        admit: admitSignedIn,
        routes,
      });
      serveBrowserRoutes(http, {
        prefix: authPrefix,
        access: signedInAccess,
        admit: admitAfterStepUp,
        routes: credentialRoutes(deps),
      });
    },
  };
}

/**
 * Rejects sign-in over plain HTTP, where passwords could be read and browsers would drop our cookie. Behind a proxy
 * that terminates https, the public URL is https. Connections to localhost do not leave the machine.
 */
function rejectUnsafe(request: FastifyRequest, publicUrl: string): void {
  if (publicUrl.startsWith("https:") || isSafeAddress(`http://${request.headers.host}`)) return;
  throw new ApiError(
    "https_required",
    "Sign-in requires HTTPS. Set FLORIN_PUBLIC_URL to a URL that begins with `https://`, or open the dashboard at `http://localhost` on the computer that runs Florin.",
  );
}
