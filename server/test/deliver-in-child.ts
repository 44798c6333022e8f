import { systemClock } from "../src/core/clock.ts";
import { systemTimers } from "../src/core/timers.ts";
import { createChangeFeed } from "../src/platform/changes/change-feed.ts";
import { connectDatabase } from "../src/platform/database/database.ts";
import { acquireProcessNumber } from "../src/platform/jobs/process-number.ts";
import { createLocalKeyProvider } from "../src/vault/local-key-provider.ts";
import { releaseDeliveriesOf } from "../src/webhooks/delivery/delivery.sql.ts";
import type { DeliverySettings } from "../src/webhooks/delivery/delivery-deps.ts";
import { startDeliveries } from "../src/webhooks/delivery/delivery-worker.ts";
import { createResolver } from "../src/webhooks/delivery/dns-resolver.ts";
import { privateNetworks } from "../src/webhooks/delivery/ip-address-rules.ts";

/**
 * Runs a delivery worker in a child process that a test can kill: `deliver-in-child.ts <database> <keys> [<settings>]`.
 */
const [url, directory, settings = "{}"] = process.argv.slice(2) as [string, string, string?];

const database = connectDatabase({ url, poolSize: 2, onIdleError: () => undefined });
const changes = createChangeFeed(database);
const failed = (what: string, error: unknown): void => console.error(what, error);
const processNumber = await acquireProcessNumber(database, {
  onDeath: (tx, number) => releaseDeliveriesOf(tx, number, systemClock.now()),
  background: { timers: systemTimers, onError: failed },
});
const deliveries = startDeliveries({
  database,
  changes,
  clock: systemClock,
  timers: systemTimers,
  random: Math.random,
  processNumber: processNumber.get,
  keys: createLocalKeyProvider(directory),
  privateNetworks,
  resolveName: createResolver(),
  // State changes in other processes do not wake this worker, so it polls often.
  settings: { pollMs: 50, ...(JSON.parse(settings) as Partial<DeliverySettings>) },
  log: { workFailed: failed, endpointDisabled: failed },
});

process.once("SIGTERM", async () => {
  await deliveries.stop();
  await processNumber.stop();
  await database.close();
});
console.log("ready");
