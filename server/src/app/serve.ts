import { isOpenToKeys, openApi, type RouteDescription } from "@florin/contract/openapi.ts";
import { testCards } from "@florin/contract/test-cards.ts";
import { versions } from "@florin/contract/versions.ts";
import type { FastifyInstance } from "fastify";
import { wasApproved } from "../identity/accounts/account.sql.ts";
import { createAuthentication } from "../identity/api-keys/authenticate-request.ts";
import type { PeopleModule } from "../identity/people/people-module.ts";
import { createSessionAuthentication } from "../identity/team/authenticate-session.ts";
import type { Meters } from "../insights/monitoring/process-metrics.ts";
import { serveAppleDomainAssociation } from "../payments/checkout/apple-domain.routes.ts";
import { serveBranding } from "../payments/checkout/branding.routes.ts";
import { serveFrameApi } from "../payments/checkout/frame.routes.ts";
import { serveFramePages } from "../payments/checkout/frame-pages.ts";
import { serveGooglePayPage } from "../payments/checkout/google-pay-page.ts";
import { serveNotifications } from "../payments/notifications/notification.routes.ts";
import { receiveNotifications } from "../payments/notifications/receive-notifications.routes.ts";
import {
  serveAuthenticationCallbacks,
  serveResultsCallback,
} from "../payments/three-d-secure/authentication.routes.ts";
import { serveChallenges } from "../payments/three-d-secure/challenge.routes.ts";
import { reachesPostgres } from "../platform/database/reaches-postgres.sql.ts";
import {
  type Access,
  collectRoutes,
  createNetworkLimits,
  limitNetworks,
  type ServedRoute,
  withAccess,
} from "../platform/http/access.ts";
import { serveApi } from "../platform/http/api.ts";
import type { Admit } from "../platform/http/caller.ts";
import { countFailures } from "../platform/http/count-failures.ts";
import { createCspReports, serveCspReports } from "../platform/http/csp-reports.ts";
import { serveProbes } from "../platform/http/probes.ts";
import { rejectQueryOfPost } from "../platform/http/query.ts";
import { createRateLimit } from "../platform/http/rate-limit.ts";
import { createSecondOrigin } from "../platform/http/second-origin.ts";
import { createServer } from "../platform/http/server.ts";
import { traceRequests } from "../platform/http/trace-requests.ts";
import { alone } from "../platform/processes/siblings.ts";
import { createTokenBuckets } from "../platform/processes/token-buckets.ts";
import { eventStream, serveEventStream } from "../webhooks/events/event-stream.ts";
import type { BrowserRouteGroups } from "./browser-route-groups.ts";
import { serveDashboard } from "./dashboard/serve-dashboard.ts";
import type { Deps } from "./deps.ts";
import { serveDocs } from "./docs/docs.routes.ts";
import type { AppOptions } from "./options.ts";
import type { Parts } from "./parts.ts";
import { routesOf } from "./routes.ts";

/** The HTTP server before it listens, and every endpoint of the API. */
export type Served = {
  readonly http: FastifyInstance;
  readonly routes: readonly RouteDescription[];
  /** Every route of the HTTP server, with its authentication and rate limit. */
  readonly servedRoutes: readonly ServedRoute[];
};

const publicPages: Access = { authentication: "public", limit: "pages" };
const byClientSecret: Access = { authentication: "client_secret", limit: "checkout" };
const byAcquirerSignature: Access = { authentication: "acquirer_signature", limit: "acquirers" };
const byCallbackSecret: Access = { authentication: "callback_secret", limit: "checkout" };

/** Registers every route, grouped by caller. */
export async function serve(
  parts: Parts,
  deps: Deps,
  { people, team, operator }: BrowserRouteGroups,
  options: AppOptions,
): Promise<Served> {
  const { database, clock, idempotencyKeys, acquiring, log } = parts;
  const { publicUrl, walletsUrl, embed, dashboard, trustedProxies, siblings = alone } = options;
  const http = createServer({
    clock,
    ...(trustedProxies && { trustedProxies }),
    baseUrl: publicUrl,
    ...(walletsUrl && { secondOrigin: createSecondOrigin(walletsUrl) }),
    log: log.server,
  });

  const servedRoutes = collectRoutes(http);
  const limits = options.rateLimit === null ? null : createNetworkLimits(siblings);
  if (limits) limitNetworks(http, limits);
  if (options.tracing) traceRequests(http, options.tracing);
  if (options.meters) countResponses(http, options.meters);

  // The public API, for merchants' servers and for people in the dashboard.
  const routes = routesOf(parts, deps, team);
  const admit = countFailures(createAdmit(parts, people), {
    clock,
    limits,
    mayBeAccepted: ({ headers }) => parts.authenticate.mayExist(headers.authorization),
    ...(options.meters && { onFailed: options.meters.failedAuthentication }),
    onLimited: log.attemptsLimited,
  });
  const rateLimit = createRateLimit(
    options.rateLimit,
    {},
    createTokenBuckets("requests of account", siblings),
  );
  serveApi(http, routes, {
    admit,
    clock,
    rateLimit,
    siblings,
    idempotencyKeys,
    wasApproved: (account) => wasApproved(database.read, account),
    onRequest: parts.requestLog.note,
  });
  const onError = (error: unknown) => log.failed("event stream", error);
  serveEventStream(http, { database, clock, admit, rateLimit, siblings, onError });

  // Sign-in, team and console routes, and the pages of the dashboard.
  people.serve(http);
  operator.serve(http);
  team.serve(http);

  // For customers: the card form in the merchant's page, and the page that frames the issuer's challenge.
  withAccess(http, byClientSecret, (app) => {
    app.addHook("onRequest", async (request) => rejectQueryOfPost(request));
    serveFrameApi(app, deps.sessions);
    serveChallenges(app, deps.charges, embed.manifest);
  });
  withAccess(http, publicPages, (app) => {
    serveFramePages(app, deps.sessions, embed);
    serveBranding(app, database);
    serveAppleDomainAssociation(app, { database });
    serveCspReports(app, createCspReports(log.policyViolated, clock));
    if (dashboard) serveDashboard(app, { ...dashboard, publicUrl });
    if (walletsUrl) serveGooglePayPage(app, deps.sessions, embed);
  });

  // Callbacks of 3-D Secure, and the pages of test mode's issuer.
  withAccess(http, byCallbackSecret, (app) => {
    serveAuthenticationCallbacks(app, deps.charges);
    serveResultsCallback(app, deps.charges, { livemode: true });
    acquiring.testNetwork.servePages(app);
  });

  // The notifications of live acquirers.
  withAccess(http, byAcquirerSignature, (app) => receiveNotifications(app, deps.notifications));

  // Probes for orchestrators and load balancers.
  serveProbes(http, { reachesDatabase: () => reachesPostgres(database.read), baseUrl: publicUrl });

  // The API reference is for merchants. It leaves out endpoints that only dashboard sessions can call.
  const described = [...routes, eventStream];
  const documented = described.filter(isOpenToKeys);
  withAccess(http, publicPages, (app) =>
    serveDocs(app, () => openApi(documented, { version: versions.api }), {
      publicUrl,
      testCards,
      ...(options.docs && { directory: options.docs.directory }),
    }),
  );

  await http.ready();
  return { http, routes: described, servedRoutes };
}

/** Registers the routes that the simulated card network calls, on the loopback listener only. */
export async function serveInternal(
  { clock, acquiring, secrets, log }: Parts,
  deps: Deps,
  { publicUrl }: AppOptions,
): Promise<{
  readonly internal: FastifyInstance;
  readonly internalRoutes: readonly ServedRoute[];
}> {
  const internal = createServer({ clock, baseUrl: publicUrl, log: log.server });
  const internalRoutes = collectRoutes(internal);
  serveResultsCallback(internal, deps.charges, { livemode: false });
  serveNotifications(internal, deps, secrets.notificationSecret);
  acquiring.testNetwork.serveNetwork(internal);
  await internal.ready();
  return { internal, internalRoutes };
}

/** Counts every response, including those of routes that are registered later. */
function countResponses(http: FastifyInstance, meters: Meters): void {
  http.addHook("onResponse", (request, reply, done) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? "none";
    meters.responded(
      { method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
      request.span?.spanContext().traceId,
    );
    done();
  });
}

/** Admits an API key or a person's session. */
function createAdmit(
  { database, changes, authenticate }: Parts,
  { readSession }: PeopleModule,
): Admit {
  return createAuthentication(
    authenticate,
    createSessionAuthentication({ database, changes, readSession }),
  );
}
