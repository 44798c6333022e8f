import type { RouteDescription } from "@florin/contract/openapi.ts";
import type { FastifyInstance } from "fastify";
import type { HashKey } from "./api-keys/issue-api-key.ts";
import { depsOf } from "./app/deps.ts";
import { startOwnLoops, startWorkers } from "./app/loops.ts";
import type { AppOptions } from "./app/options.ts";
import { closeParts, openParts } from "./app/parts.ts";
import { openPeopleDoors } from "./app/people-doors.ts";
import { recordService, warnOfWeakAuditLog } from "./app/record-service.ts";
import { serve, serveInternal } from "./app/serve.ts";
import type { Database } from "./database/database.ts";
import type { ServedRoute } from "./http/access.ts";
import { listenOn } from "./http/listen.ts";
import type { Simulator } from "./processors/simulator/simulator.ts";

export type { AppOptions } from "./app/options.ts";

/** The whole service, put together and not yet listening. */
export type App = {
  readonly http: FastifyInstance;
  /** The origin of the loopback listener, which is open already: the simulated card network talks to the service there. */
  readonly internalUrl: string;
  /** Every endpoint of the API, also those that only people can call. */
  readonly routes: readonly RouteDescription[];
  /** Every route of the HTTP server, with its rules for callers. */
  readonly servedRoutes: readonly ServedRoute[];
  readonly database: Database;
  readonly simulator: Simulator;
  readonly hashKey: HashKey;
  /** Writes when keys were last used, ahead of its minute. */
  writeKeyUses(): Promise<void>;
  /** Writes which requests were made, ahead of its second. */
  writeRequestLog(): Promise<void>;
  /** Finishes what is in flight, and lets go of everything. */
  close(): Promise<void>;
};

export async function openApp(options: AppOptions): Promise<App> {
  // What the slices share: the database, the vault, the acquirer and their like.
  let listeningAt = "";
  const internalUrl = options.internalUrl ?? (() => listeningAt);
  const parts = await openParts({ ...options, internalUrl });
  await warnOfWeakAuditLog(parts);
  await recordService(parts, "service.started");

  // What each of them needs of it. From here on somebody hears what the acquirer tells.
  const deps = depsOf(parts, options);
  parts.notices.hearWith(deps);

  // Who comes in, and what is served to them.
  const doors = openPeopleDoors(parts, deps, options);
  const { http, routes, servedRoutes } = await serve(parts, deps, doors, options);

  // The loopback listener, before anything can be sent to it.
  const internal = await serveInternal(parts, deps, options);
  const port = options.internalPort ?? 0;
  listeningAt = await listenOn(internal, { host: "127.0.0.1", port, setting: "INTERNAL_PORT" });

  // What runs later than the request that caused it.
  const loops = startOwnLoops(parts);
  if (options.workers) loops.push(...startWorkers(parts, deps, doors.operator, options));

  return {
    http,
    internalUrl: listeningAt,
    routes,
    servedRoutes,
    database: parts.database,
    simulator: parts.cardWorld.simulator,
    hashKey: parts.secrets.hashKey,
    writeKeyUses: parts.keyUses.flush,
    writeRequestLog: parts.requestLog.flush,
    async close() {
      // First no new requests, then the ones in flight, then what runs later, and the database last.
      await http.close();
      await Promise.all(loops.map((loop) => loop.stop()));
      await internal.close();
      // Close everything even if the database is unreachable, which may be why the server stops.
      await recordService(parts, "service.stopped").catch((error) =>
        parts.log.failed("audit entry of the stop", error),
      );
      await closeParts(parts);
    },
  };
}
