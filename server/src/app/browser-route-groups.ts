import { defaultAcquirerTimeoutMs } from "../acquiring/test-network.ts";
import { assignmentRoutes } from "../admin/connections/assignment.routes.ts";
import { connectionRoutes } from "../admin/connections/connection.routes.ts";
import { connectionNotificationRoutes } from "../admin/connections/connection-notification.routes.ts";
import { connectionReportRoutes } from "../admin/connections/connection-report.routes.ts";
import { routingRoutes } from "../admin/connections/routing.routes.ts";
import { type AdminConsole, createAdminConsole } from "../admin/operator/admin-console.ts";
import { walletRoutes } from "../admin/wallets/wallet.routes.ts";
import { walletKeyRoutes } from "../admin/wallets/wallet-key.routes.ts";
import { createPeopleModule, type PeopleModule } from "../identity/people/people-module.ts";
import { createTeamModule, type TeamModule } from "../identity/team/team-module.ts";
import { createRateLimit } from "../platform/http/rate-limit.ts";
import { alone } from "../platform/processes/siblings.ts";
import { createTokenBuckets } from "../platform/processes/token-buckets.ts";
import { createPersonSecrets } from "../vault/person-secrets.ts";
import type { Deps } from "./deps.ts";
import type { AppOptions } from "./options.ts";
import type { Parts } from "./parts.ts";

/** The route groups for signed-in people: personal settings, a merchant's team, and the admin console. */
export type BrowserRouteGroups = {
  readonly people: PeopleModule;
  readonly team: TeamModule;
  readonly operator: AdminConsole;
};

/** The maximum number of requests per second of one operator. The burst size is the same. */
const operatorRequestsPerSecond = 50;

export function createBrowserRouteGroups(
  parts: Parts,
  deps: Deps,
  options: AppOptions,
): BrowserRouteGroups {
  const { database, clock, keys, idempotencyKeys } = parts;
  const { sendMail = null } = options;
  const sendsMail = sendMail !== null;
  const inboxSecret = sendsMail ? null : (options.inboxSecret ?? null);
  const canMail = sendsMail || inboxSecret !== null;

  const people = createPeopleModule({
    database,
    clock,
    canMail,
    inboxSecret,
    sendsMail,
    secrets: createPersonSecrets(keys),
    publicUrl: options.publicUrl,
    acquirers: parts.connections.environment,
    ...(options.lockOutMs !== undefined && { lockOutMs: options.lockOutMs }),
  });
  const team = createTeamModule({ database, clock, idempotencyKeys, people, canMail });
  const operator = createAdminConsole({
    ...deps.underwriting,
    sendsMail,
    defaultRequestsPerSecond: options.rateLimit,
    fourEyes: options.fourEyes ?? false,
    environment: parts.connections.environment,
    cardSearchHour: options.cardSearchHour ?? null,
    inquiries: deps,
    acquirerTimeoutMs: options.acquirerTimeoutMs ?? defaultAcquirerTimeoutMs,
    moreRoutes: (operatorDeps) => {
      const { publicUrl } = options;
      const connectionDeps = { ...operatorDeps, ...parts.connections, publicUrl };
      const walletDeps = { ...connectionDeps, hasWalletsUrl: Boolean(options.walletsUrl) };
      return [
        ...connectionRoutes(connectionDeps),
        ...assignmentRoutes(connectionDeps),
        ...connectionNotificationRoutes(connectionDeps),
        ...connectionReportRoutes(connectionDeps),
        ...routingRoutes({ ...connectionDeps, simulateRoute: parts.acquiring.simulateRoute }),
        ...walletRoutes(walletDeps),
        ...walletKeyRoutes(walletDeps),
      ];
    },
    readSession: people.readSession,
    rateLimit:
      options.rateLimit === null
        ? null
        : createRateLimit(
            operatorRequestsPerSecond,
            {},
            createTokenBuckets("requests of operator", options.siblings ?? alone),
          ),
  });
  return { people, team, operator };
}
