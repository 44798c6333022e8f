import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { printReport } from "../../../src/insights/verify/print-report.ts";
import { verify } from "../../../src/insights/verify/verify.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { startShop } from "../../shop.ts";
import { slowed } from "../../slowness.ts";
import { retryWhileUnavailable } from "../retry-while-unavailable.ts";
import { seededRandom } from "../seeded-random.ts";
import { acquirerTimeoutMs } from "./acquirer-faults.ts";
import { closeClients, type Environment } from "./merchant.ts";

/** A running setup and its shutdown. */
export type StartedEnvironment = {
  readonly environment: Environment;
  /** Waits until all work is done and checks the database for consistency. Returns a description of the run. */
  check(): Promise<string>;
  close(): Promise<void>;
};

/** A pending outcome is decided only after its first response has been sent, also on a busy machine. */
const acquirer = { responseTimeoutMs: acquirerTimeoutMs, resolveAfterMs: slowed(600) };

/** Starts one server in this process. With a seed, its database connections are cut at random moments. */
export async function startServer(stormSeed: number | null): Promise<StartedEnvironment> {
  const shop = await startShop({ acquirer, inRealTime: true });
  let over = false;
  let cuts = 0;
  const storm = stormSeed === null ? null : cutConnections(stormSeed);

  async function cutConnections(seed: number): Promise<void> {
    const random = seededRandom(seed);
    while (!over) {
      await sleep(random.between(300, 1_500));
      const cut = await shop.app.database.read`
        select pg_terminate_backend(pid)
          from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and random() < 0.4
      `.catch(() => []);
      cuts += cut.length;
    }
  }

  return {
    environment: {
      url: () => shop.url,
      createMerchant: () => retryWhileUnavailable(() => shop.createMerchant()),
      injectFaults: (faults, account) => shop.simulator.injectFaults(faults, account),
      stormy: storm !== null,
      faults: () =>
        shop.log
          .filter(isFault)
          .map((line) => JSON.stringify(line))
          .join("\n"),
    },
    async check() {
      over = true;
      await storm;
      await expectNoViolation(shop.app.database);
      return storm ? `${cuts} connections cut` : "nothing but the acquirer's line went wrong";
    },
    async close() {
      over = true;
      await storm;
      await closeClients();
      await shop.close();
    },
  };
}

/** A log line of level 50 (pino) or above is an error. */
function isFault({ level }: Record<string, unknown>): boolean {
  return Number(level) >= 50;
}

export async function expectNoViolation(database: Database): Promise<void> {
  // The run may have ended with a crash.
  const report = await retryWhileUnavailable(() => verify(database, { cards: true }));
  assert.equal(report.violations, 0, printReport(report));
}
