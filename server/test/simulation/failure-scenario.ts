import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createSimulatedNetwork,
  type SimulatedNetwork,
} from "@florin/simulator/simulated-network.ts";
import { startApp } from "../../src/app.ts";
import { systemClock } from "../../src/core/clock.ts";
import { prepareDemo } from "../../src/demo.ts";
import { createLog } from "../../src/log.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { privateNetworks } from "../../src/webhooks/delivery/ip-address-rules.ts";
import { slowed } from "../slowness.ts";

/**
 * Runs one failure scenario against the service: `failure-scenario.ts <database> <directory> <embed build> <scenario>`.
 * The test then runs the checker on the database.
 */
const [databaseUrl, directory, outdir, scenarioName] = process.argv.slice(2) as string[] as [
  string,
  string,
  string,
  string,
];

/**
 * The time after which the outcome of a request is unknown. It is longer on a busy machine, because in one scenario the
 * response must arrive in time to compete with a notification that the acquirer sends before it.
 */
const responseTimeoutMs = slowed(300);

const keys = createLocalKeyProvider(join(directory, "keys"));
let network: SimulatedNetwork | null = null;
const app = await startApp({
  databaseUrl,
  databasePool: 8,
  keys,
  clock: systemClock,
  random: () => 0.5,
  log: createLog("silent"),
  embed: {
    directory: outdir,
    manifest: JSON.parse(await readFile(join(outdir, "manifest.json"), "utf8")),
  },
  publicUrl: () => "http://127.0.0.1",
  rateLimit: null,
  privateWebhooks: privateNetworks,
  workers: true,
  createTestNetwork: (deps) => {
    network = createSimulatedNetwork(deps, {
      acquirer: { responseTimeoutMs, slowResponseMs: 100, resolveAfterMs: 2 * responseTimeoutMs },
    });
    return network;
  },
});
const { database } = app;
const { acquirer: simulator } = network as unknown as SimulatedNetwork;
const demo = await prepareDemo(
  { database, clock: systemClock, keys, hashKey: app.hashKey },
  directory,
  "http://127.0.0.1:9",
);

/** Creates a charge. The response is irrelevant here. */
async function charge(key: string, body: object = {}): Promise<void> {
  await app.http.inject({
    method: "POST",
    url: "/api/v1/charges",
    headers: {
      authorization: `Bearer ${demo.test_secret_key}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    payload: JSON.stringify({
      amount: 1999,
      currency: "usd",
      payment_method_id: "pm_card_visa",
      ...body,
    }),
  });
}

function charges(count: number, body: object = {}): Promise<unknown> {
  const key = JSON.stringify(body);
  return Promise.all(Array.from({ length: count }, (_, n) => charge(`${n} ${key}`, body)));
}

const declined = { payment_method_id: "pm_card_visa_chargeDeclined" };
const halfApproved = { amount: 9_006_002 };

export type Scenario = keyof typeof scenarios;

const scenarios = {
  "no faults": async () => {
    await charges(10);
    await charges(10, declined);
  },
  "requests arrive after the inquiry": async () => {
    simulator.injectFaults({ on: ["authorize"], arriveAfterNotFound: true, times: 60 });
    await charges(60);
  },
  "responses are lost": async () => {
    simulator.injectFaults({ on: ["authorize"], dropAfter: true, times: 20 });
    await charges(20);
  },
  "writing an outcome fails for a while": async () => {
    await database.transaction(
      (tx) => tx`alter table events add constraint broken check (false) not valid`,
    );
    await charges(3);
    await database.transaction((tx) => tx`alter table events drop constraint broken`);
    void charges(3);
  },
  "every request is sent twice": async () => {
    await Promise.all([charges(10), charges(10)]);
    await Promise.all([charges(10), charges(10)]);
  },
  "every response arrives twice": async () => {
    simulator.injectFaults({ on: ["authorize"], respondTwice: true, times: 60 });
    await Promise.all(
      Array.from({ length: 60 }, (_, n) => charge(`twice ${n}`, n % 2 ? declined : {})),
    );
  },
  "notifications arrive before responses": async () => {
    await charges(10, { amount: 9_005_003, capture_method: "manual" });
    await charges(10, { amount: 9_005_003 });
  },
  "partial approvals whose reversal is lost": async () => {
    simulator.injectFaults({ on: ["reverse"], dropBefore: true, times: 5 });
    await charges(5, halfApproved);
  },
  "partial approvals arrive late": async () => {
    simulator.injectFaults({ on: ["authorize"], delayMs: 2 * responseTimeoutMs, times: 5 });
    await charges(5, halfApproved);
    await sleep(3 * responseTimeoutMs);
  },
} satisfies Readonly<Record<string, () => Promise<void>>>;

/**
 * Makes the next inquiry of each charge due now, up to its fifth, until every charge has an outcome or 12 seconds have
 * passed.
 */
async function awaitOutcomes(): Promise<void> {
  const until = performance.now() + 12_000;
  while (performance.now() < until) {
    const [row] = await database.read<{ open: number }>`
      select count(*) as open from charges where status = 'processing'
    `;
    if (row?.open === 0) return;
    // Skips locked rows. A worker already processes them, and locking them in another order could deadlock.
    await database.transaction(
      (tx) => tx`
        update charges c
           set due_at = now()
          from (select account_id, livemode, id
                  from charges
                 where status = 'processing' and inquiries < 5
                   for update skip locked) waiting
         where c.account_id = waiting.account_id and c.livemode = waiting.livemode and c.id = waiting.id`,
    );
    await sleep(1_200);
  }
}

const scenario = scenarios[scenarioName as Scenario];
if (!scenario) throw new Error(`There is no scenario '${scenarioName}'.`);
await Promise.race([scenario(), sleep(10_000)]);
await awaitOutcomes();
// Exit even if a mutant has not finished. The test checks only the database.
process.exit(0);
