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

/** A running environment, with its final check and shutdown. */
export type StartedEnvironment = {
  readonly environment: Environment;
  /** Stops the interruptions and checks the database for consistency. Returns a summary of the run. */
  check(): Promise<string>;
  close(): Promise<void>;
};

/** Long enough that, even on a busy machine, a pending outcome is resolved only after the first response is sent. */
const acquirer = { responseTimeoutMs: acquirerTimeoutMs, resolveAfterMs: slowed(600) };

/** Starts one server in this process. With a seed, terminates its database connections at random moments. */
export async function startServer(cutSeed: number | null): Promise<StartedEnvironment> {
  const shop = await startShop({ acquirer, inRealTime: true });
  let over = false;
  let cuts = 0;
  const interruptions = cutSeed === null ? null : cutConnections(cutSeed);

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
      hasInterruptions: interruptions !== null,
      loggedErrors: () =>
        shop.log
          .filter(isError)
          .map((line) => JSON.stringify(line))
          .join("\n"),
    },
    async check() {
      over = true;
      await interruptions;
      await expectNoViolation(shop.app.database);
      return interruptions ? `${cuts} connections cut` : "faults only between service and acquirer";
    },
    async close() {
      over = true;
      await interruptions;
      await closeClients();
      await shop.close();
    },
  };
}

/** A log line of level 50 (pino) or above is an error. */
function isError({ level }: Record<string, unknown>): boolean {
  return Number(level) >= 50;
}

export async function expectNoViolation(database: Database): Promise<void> {
  // Postgres may still be recovering from a crash.
  const report = await retryWhileUnavailable(() => verify(database, { cards: true }));
  assert.equal(report.violations, 0, printReport(report));
}
