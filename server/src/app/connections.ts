import { suspendForRejectedCredentials } from "../acquiring/connections/change-connection.ts";
import type { Environment } from "../acquiring/connections/connection.ts";
import {
  type ConnectionActivity,
  createConnectionActivity,
} from "../acquiring/connections/connection-activity.ts";
import {
  type ConnectionDirectory,
  createConnectionDirectory,
} from "../acquiring/connections/connection-directory.ts";
import type { TestConnection } from "../acquiring/connections/test-connection.ts";
import { createConnectionTest } from "../acquiring/live-acquirers.ts";
import { systemTimers } from "../core/timers.ts";
import type { ChangeFeed } from "../platform/changes/change-feed.ts";
import type { Database } from "../platform/database/database.ts";
import { alone } from "../platform/processes/siblings.ts";
import { createTokenBuckets } from "../platform/processes/token-buckets.ts";
import type { LogLines } from "./log-lines.ts";
import type { AppOptions } from "./options.ts";

/** The connections to live acquirers. */
export type Connections = {
  readonly environment: Environment;
  readonly directory: ConnectionDirectory;
  readonly activity: ConnectionActivity;
  readonly testConnection: TestConnection;
};

export function createConnections(
  {
    database,
    changes,
    log,
  }: { readonly database: Database; readonly changes: ChangeFeed; readonly log: LogLines },
  options: AppOptions,
): Connections {
  const { clock, keys, random, meters, acquirers = "live" } = options;
  const { acquirerOrigins: origins = {}, siblings = alone } = options;
  const testConnection =
    options.testConnection ?? createConnectionTest({ timers: systemTimers, origins });
  const onError = log.failed;
  const directory = createConnectionDirectory({
    database,
    changes,
    keys,
    environment: acquirers,
    onError,
  });
  const activity = createConnectionActivity({
    clock,
    random,
    buckets: createTokenBuckets("requests to acquirer", siblings),
    onRateLimited: log.connectionRateLimited,
    ...(meters && {
      observeWait: (result, waitMs) => meters.waitedForRateLimit(result, waitMs / 1_000),
    }),
    onCredentialsRejected: (connection) => {
      log.credentialsRejected(connection);
      suspendForRejectedCredentials({ database, clock }, connection)
        .then(directory.reload)
        .catch((error) => onError(`suspension of ${connection}`, error));
    },
  });
  return { environment: acquirers, directory, activity, testConnection };
}
