import type { RouteDescription } from "@florin/contract/openapi.ts";
import type { FastifyInstance } from "fastify";
import { partitionGroups } from "./admin/retention/partition.jobs.ts";
import { createBrowserRouteGroups } from "./app/browser-route-groups.ts";
import { depsOf } from "./app/deps.ts";
import { startProcessLoops, startWorkers } from "./app/loops.ts";
import type { AppOptions } from "./app/options.ts";
import { closeParts, createParts, type Parts } from "./app/parts.ts";
import { recordService, warnOfWeakAuditLog } from "./app/record-service.ts";
import { serve, serveInternal } from "./app/serve.ts";
import type { HashKey } from "./identity/api-keys/issue-api-key.ts";
import type { Database } from "./platform/database/database.ts";
import type { ServedRoute } from "./platform/http/access.ts";
import { listenOn } from "./platform/http/listen.ts";
import { maintainPartitions } from "./platform/partitions/partitions.ts";
import { alone } from "./platform/processes/siblings.ts";

export type { AppOptions } from "./app/options.ts";

/** The assembled service before its public listener starts. */
export type App = {
  readonly http: FastifyInstance;
  /**
   * The origin of the loopback listener, which already accepts connections. The simulated card network sends requests
   * to it.
   */
  readonly internalUrl: string;
  /** Every endpoint of the API, including those that only signed-in people can call. */
  readonly routes: readonly RouteDescription[];
  /** Every route of the HTTP server, with its authentication and rate limit. */
  readonly servedRoutes: readonly ServedRoute[];
  /** Every route of the loopback listener. */
  readonly internalRoutes: readonly ServedRoute[];
  readonly database: Database;
  readonly hashKey: HashKey;
  /** Writes the last-use times of keys immediately instead of at the end of the minute. */
  writeKeyUses(): Promise<void>;
  /** Writes the pending entries of the request log immediately instead of at the end of the second. */
  writeRequestLog(): Promise<void>;
  /** Waits for requests in flight, then closes every connection. */
  close(): Promise<void>;
};

export async function startApp(options: AppOptions): Promise<App> {
  // Creates the shared dependencies, such as the database, the vault and the acquirer.
  let listeningAt = "";
  const internalUrl = options.internalUrl ?? (() => listeningAt);
  const parts = await createParts({ ...options, internalUrl });
  await warnOfWeakAuditLog(parts);
  // Creates the partitions before the first row is inserted. A row whose week has no partition is stored in the default
  // partition and stays there.
  await maintainPartitions(parts, partitionGroups);
  await recordService(parts, "service.started");

  // The dependencies of each module, such as charges or webhooks.
  const deps = depsOf(parts, options);

  // The route groups for signed-in people, then the HTTP server with all routes.
  const browserRoutes = createBrowserRouteGroups(parts, deps, options);
  const { http, routes, servedRoutes } = await serve(parts, deps, browserRoutes, options);

  // The loopback listener starts before any request can be sent to it.
  const { internal, internalRoutes } = await serveInternal(parts, deps, options);
  const { siblings = alone } = options;
  const port = options.internalPort ?? 0;
  listeningAt = await listenOn(internal, {
    ...{ host: "127.0.0.1", port, setting: "INTERNAL_PORT" },
    // Any process can handle a message of the card network. A process with its own port receives the messages about its
    // own payments directly. On a shared port, any process may receive them.
    listener: port === 0 || siblings.primary === null ? "own" : "shared",
  }).catch(async (error: unknown) => {
    await stopParts(parts);
    throw error;
  });

  // The background loops.
  const loops = startProcessLoops(parts);
  // Only one process runs the workers, because the workers of each process would read the same queues. In a test, four
  // idle processes with workers used 12% of a core more than a single one did.
  const runsJobs = options.workers && siblings.index === 0;
  if (runsJobs) loops.push(...startWorkers(parts, deps, browserRoutes.operator, options));

  return {
    http,
    internalUrl: listeningAt,
    routes,
    servedRoutes,
    internalRoutes,
    database: parts.database,
    hashKey: parts.secrets.hashKey,
    writeKeyUses: parts.keyUses.flush,
    writeRequestLog: parts.requestLog.flush,
    async close() {
      // Stop new requests first, finish those in flight, then stop background work. The database closes last.
      await http.close();
      await Promise.all(loops.map((loop) => loop.stop()));
      await internal.close();
      await stopParts(parts);
    },
  };
}

/** Records the stop and closes all parts, the database last. */
async function stopParts(parts: Parts): Promise<void> {
  // Closes everything even if the database is unreachable. An unreachable database may be the reason for the shutdown.
  await recordService(parts, "service.stopped").catch((error) =>
    parts.log.failed("audit entry of the stop", error),
  );
  await closeParts(parts);
}
