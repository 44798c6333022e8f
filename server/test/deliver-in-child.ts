import { openDatabase } from "../src/database/database.ts";
import { systemClock } from "../src/primitives/clock.ts";
import { openLocalKeyProvider } from "../src/vault/local-key-provider.ts";
import { startDeliveries } from "../src/webhooks/deliver.ts";

/** A delivery worker in a process of its own, so that a test can kill it: `deliver-in-child.ts <database> <keys>`. */
const [url, directory] = process.argv.slice(2) as [string, string];

startDeliveries({
  database: openDatabase({ url, poolSize: 2, onIdleError: console.error }),
  clock: systemClock,
  chance: Math.random,
  keys: openLocalKeyProvider(directory),
  allowPrivateAddresses: true,
  log: { workFailed: console.error, endpointDisabled: console.error },
});
