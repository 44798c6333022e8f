import { archivePayments } from "../src/admin/retention/archive-payments.ts";
import { connectAuditLog } from "../src/app/connect-audit-log.ts";
import { systemClock } from "../src/core/clock.ts";
import { connectDatabase } from "../src/platform/database/database.ts";
import { createLocalKeyProvider } from "../src/vault/local-key-provider.ts";

/**
 * Archives payments in a child process that a test can kill: `archive-in-child.ts <database> <keys> <archives> <step>`.
 * When the process reaches the step, it prints a line and waits to be killed.
 */
const [url, keys, directory, stopAt] = process.argv.slice(2) as [string, string, string, string];

const database = connectDatabase({
  url,
  poolSize: 2,
  onIdleError: () => undefined,
  audit: connectAuditLog(createLocalKeyProvider(keys), null),
});
const deps = {
  database,
  clock: systemClock,
  async onStep(step: string) {
    if (step !== stopAt) return;
    console.log("reached");
    await new Promise(() => setInterval(() => undefined, 1_000));
  },
};
await archivePayments(deps, { directory, afterDays: 550 });
console.log("done");
await database.close();
