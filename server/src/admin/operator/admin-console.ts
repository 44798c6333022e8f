import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../../core/api-error.ts";
import type { ReadSession, SignedIn } from "../../identity/people/session.ts";
import { type BrowserRoute, serveBrowserRoutes } from "../../platform/http/browser-routes.ts";
import type { RateLimit } from "../../platform/http/rate-limit.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { accountRoutes } from "./account.routes.ts";
import { applicationReviewRoutes } from "./application-review.routes.ts";
import { withoutOwnAccount } from "./assert-not-own-account.ts";
import { serviceAuditRoutes } from "./audit.routes.ts";
import { startCheckerRuns } from "./checker-run.jobs.ts";
import { healthRoutes } from "./health.routes.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import { operatorsRoutes } from "./operators.routes.ts";
import { startProposalEndings } from "./proposal.jobs.ts";
import { proposalRoutes } from "./proposal.routes.ts";
import { createReadRecorder } from "./recorded-reads.ts";

export type AdminConsole = {
  serve(http: FastifyInstance): void;
  /** Starts background work. */
  start(background: Background): Loop[];
};

export type OperatorOptions = Omit<OperatorDeps, "wakeChecker"> & {
  readonly readSession: ReadSession;
  /** Returns the routes of modules that depend on this one. */
  readonly moreRoutes: (deps: OperatorDeps) => BrowserRoute<SignedIn>[];
  /** The rate limit of each operator. Null if rate limits are off. */
  readonly rateLimit: RateLimit | null;
};

/** Creates the admin console. It admits only sessions of operators, not API keys or merchants' members. */
export function createAdminConsole({
  readSession,
  rateLimit,
  moreRoutes,
  ...options
}: OperatorOptions): AdminConsole {
  let checker: Loop | null = null;
  const deps: OperatorDeps = { ...options, wakeChecker: () => checker?.wake() };

  async function admit(request: FastifyRequest): Promise<SignedIn> {
    const signedIn = await readSession(request);
    if (!signedIn)
      throw new ApiError("sign_in_required", "This browser is not signed in. Sign in first.");
    if (rateLimit) await rateLimit(`operator ${signedIn.person}`);
    if (!signedIn.operator) {
      throw new ApiError(
        "permission_denied",
        "Only an operator of this service can call this endpoint. Sign in as an operator.",
      );
    }
    if (signedIn.secondFactor) return signedIn;
    throw new ApiError(
      "second_factor_required",
      "The admin console requires two-step verification. Set up a passkey or an authenticator app, and sign in with it.",
    );
  }

  return {
    serve(http) {
      const routes = [
        ...applicationReviewRoutes(deps),
        ...accountRoutes(deps),
        ...healthRoutes(deps),
        ...operatorsRoutes(deps),
        ...proposalRoutes(deps),
        ...serviceAuditRoutes(deps),
        ...moreRoutes(deps),
      ]
        .map((route) => withoutOwnAccount(deps.database.read, route))
        .map(createReadRecorder(deps));
      const access = { authentication: "operator_session", limit: "people" } as const;
      serveBrowserRoutes(http, { prefix: "/operator/v1", access, admit, routes });
    },
    start(background) {
      checker = startCheckerRuns(deps, background);
      return [checker, startProposalEndings(deps, background)];
    },
  };
}
