import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fillDatabase } from "../../../bench/fill-database.ts";
import { pack } from "../../../tools/release/pack.ts";
import type { ChargeId } from "../../src/core/ids.ts";
import type { Acknowledged } from "../../src/insights/verify/check.ts";
import { type Report, verify } from "../../src/insights/verify/verify.ts";
import { connectDatabase } from "../../src/platform/database/database.ts";
import {
  type EmbeddedPostgres,
  freePort,
  startEmbeddedPostgres,
} from "../../src/platform/database/embedded.ts";
import { type Failure, startProbes } from "../failover/probes.ts";
import {
  listEventsMissing,
  listSessionsLost,
  makeDelayedInquiriesDue,
  waitForDeliveries,
  waitForOutcomes,
} from "../simulation/completed-work.ts";
import { createClients } from "../simulation/crash-clients.ts";
import { post } from "../simulation/requests.ts";
import { seededRandom } from "../simulation/seeded-random.ts";
import { startWebhookReceiver } from "../simulation/webhook-receiver.ts";
import { type InstalledService, runInstalled, startInstalled } from "./installed-service.ts";
import { type LockFigures, startLockMonitor } from "./lock-monitor.ts";
import { installPackage, makeNextVersion, nextVersion } from "./packages.ts";

export type UpgradeOptions = {
  readonly seed: number;
  /** The length of each phase: before the upgrade, between the two restarts, and afterwards. */
  readonly seconds: number;
  /** The number of charges in the database before the upgrade. */
  readonly rows: number;
  /** The tarball of the old version. Null to pack this repository. */
  readonly from: string | null;
};

export type UpgradeFigures = {
  readonly versions: { readonly old: string; readonly next: string };
  readonly charges: number;
  /** The number of charges that the old version acknowledged after the migration. */
  readonly byOldVersionAfterMigration: number;
  readonly retries: number;
  /** The failed charges among those that were sent without retries. A client would send them again. */
  readonly failures: readonly Failure[];
  readonly webhooks: number;
  /** The time from the start of the first new process until it was ready, with all migrations. */
  readonly migratedAfterMs: number;
  readonly locks: LockFigures;
  /** The lines of Postgres's log about sessions that waited for the migration for over a second. */
  readonly lockWaits: readonly string[];
  readonly latenciesMs: Readonly<Record<Phase, readonly number[]>>;
  readonly stops: readonly Stop[];
  /** The exit code and the output of an old process that is started after the migration. */
  readonly oldStartedAgain: { readonly code: number; readonly output: string };
  readonly report: Report;
  readonly missingWebhooks: readonly string[];
  readonly lostSessions: readonly string[];
};

export const phases = ["before", "migration", "mixed", "restart", "after"] as const;
export type Phase = (typeof phases)[number];

/** A graceful stop with requests in flight. */
export type Stop = {
  readonly service: string;
  readonly code: number | null;
  readonly tookMs: number;
  readonly inFlight: number;
  /** The number of requests in flight that received a response with a status below 500. */
  readonly answered: number;
};

const clientEveryMs = 50;
const maxWaiting = 400;
/** Charges whose acquirer does not respond, so that they are in flight until the acquirer's timeout. */
const slowAmount = 9_004_001;
const slowCharges = 20;

/** Upgrades two services of one database while clients send requests, and checks that nothing is lost. */
export async function upgrade(
  { seed, seconds, rows, from }: UpgradeOptions,
  print: (line: string) => void,
): Promise<UpgradeFigures> {
  const directory = await mkdtemp(join(tmpdir(), "florin-upgrade-"));
  const tarball = (await pack()).find((file) => /florin-\d/.test(file)) as string;
  const old = await installPackage(from ?? tarball, join(directory, "old"));
  const next = await installPackage(tarball, join(directory, "next"));
  await makeNextVersion(next);
  const versionOf = async (installed: string) =>
    (await runInstalled(installed, ["--version"])).output.split(" ")[1] as string;
  const versions = { old: await versionOf(old), next: await versionOf(next) };
  assert.equal(versions.next, nextVersion);
  print(`from ${versions.old} to ${versions.next}, ${rows} charges in the database`);

  const postgres = await startEmbeddedPostgres({
    directory,
    log: print,
    settings: { log_lock_waits: "on", log_line_prefix: "%m [%p] %a: " },
  });
  const receiver = await startWebhookReceiver();
  const database = connectDatabase({
    url: postgres.url,
    poolSize: 2,
    onIdleError: () => undefined,
  });
  const all: InstalledService[] = [];
  let isConsistent = false;
  try {
    const { secretKey } = await setUp(old, directory, postgres, receiver.url, rows);
    const start = async (name: string, installed: string, port: number) => {
      const service = await startInstalled({
        ...{ name, installed, port, secretKey, log: join(directory, `${name}.log`) },
        environment: {
          ...settingsOf(postgres, directory),
          FLORIN_DATA: join(directory, name),
          FLORIN_DEMO: "off",
        },
      });
      all.push(service);
      return service;
    };
    /** The services behind the load balancer. */
    const balanced = new Set<InstalledService>();
    const add = (service: InstalledService) => {
      balanced.add(service);
      return service;
    };
    const servers = () => [...balanced];
    const first = add(await start("first-old", old, await freePort()));
    const second = add(await start("second-old", old, await freePort()));

    const clients = createClients(seededRandom(seed), servers);
    const probes = startProbes(servers);
    const inFlight: Acknowledged[] = [];
    const times: [Phase, number][] = [];
    const begin = (phase: Phase) => {
      times.push([phase, performance.now()]);
      print(`${phase}: ${clients.acknowledged.length + probes.acknowledged.length} charges`);
    };
    let isLoaded = true;
    const load = (async () => {
      for (; isLoaded; await sleep(clientEveryMs)) {
        if (clients.waiting() < maxWaiting) clients.start();
      }
    })();
    const stops: Stop[] = [];

    begin("before");
    await sleep(seconds * 1000);

    // Replaces the first process behind the load balancer: the new one is ready before the old one stops.
    begin("migration");
    const logStart = await sizeOfLog(directory);
    const monitor = await startLockMonitor(postgres.url);
    const migrationStartedAt = performance.now();
    const third = add(await start("first-new", next, await freePort()));
    const migratedAt = performance.now();
    const locks = await monitor.stop();
    const lockWaits = await lockWaitsSince(directory, logStart, locks.pids);

    begin("mixed");
    balanced.delete(first);
    stops.push(await stopWithRequests(first, inFlight));
    const oldStartedAgain = await runInstalled(old, ["start"], {
      ...settingsOf(postgres, directory),
      FLORIN_DATA: join(directory, "again-old"),
      FLORIN_DEMO: "off",
      PORT: String(await freePort()),
    });
    await sleep(seconds * 1000);

    // Restarts the second process in place: the load balancer sends it requests until it no longer accepts them.
    begin("restart");
    stops.push(await stopWithRequests(second, inFlight));
    balanced.delete(second);
    const fourth = add(await start("second-new", next, Number(new URL(second.url).port)));
    begin("after");
    await sleep(seconds * 1000);

    isLoaded = false;
    await load;
    await probes.stop();
    const endedAt = performance.now();
    await makeDelayedInquiriesDue(database);
    await waitForOutcomes(database, endedAt, clients);
    await waitForDeliveries(database, endedAt);
    for (const service of all) assert.equal(service.hasExited(), false, `${service.name} exited`);
    for (const service of [third, fourth])
      stops.push({ ...(await stopWithRequests(service, [], 0)) });
    const acknowledged = [...clients.acknowledged, ...probes.acknowledged, ...inFlight];
    const report = await verify(database, { cards: true, acknowledged });
    isConsistent = report.violations === 0;
    const intervals = times.map(([phase, begun], index) => {
      const end = times[index + 1]?.[1] ?? endedAt;
      return [phase, probes.latencies([[begun, end]]).toSorted((a, b) => a - b)] as const;
    });
    const atOf = (phase: Phase) => times.find(([name]) => name === phase)?.[1] ?? 0;
    return {
      versions,
      charges: acknowledged.length,
      byOldVersionAfterMigration: probes.acknowledgedBy(second, atOf("mixed")),
      retries: clients.figures.retries,
      failures: probes.failures(0),
      webhooks: receiver.received.size,
      migratedAfterMs: migratedAt - migrationStartedAt,
      locks,
      lockWaits,
      latenciesMs: Object.fromEntries(intervals) as Record<Phase, number[]>,
      stops,
      oldStartedAgain,
      report,
      missingWebhooks: await listEventsMissing(database, receiver.received),
      lostSessions: await listSessionsLost(database, clients.completed),
    };
  } finally {
    for (const service of all) await service.kill();
    receiver.close();
    await database.close();
    await postgres.stop();
    if (isConsistent) await rm(directory, { recursive: true, force: true });
    else print(`The data and the logs of the services are in ${directory}.`);
  }
}

/** Returns the settings that all services of the run share. */
function settingsOf(postgres: EmbeddedPostgres, directory: string) {
  return {
    DATABASE_URL: postgres.url,
    FLORIN_KEYS: join(directory, "keys"),
    FLORIN_PRIVATE_WEBHOOKS: "on",
    FLORIN_RATE_LIMIT: "off",
    FLORIN_ACQUIRER_TIMEOUT_MS: "1500",
  };
}

/** Creates the schema, a merchant and the charges with the old version. The merchant's webhooks go to the receiver. */
async function setUp(
  installed: string,
  directory: string,
  postgres: EmbeddedPostgres,
  receiverUrl: string,
  rows: number,
): Promise<{ readonly secretKey: string }> {
  const data = join(directory, "set-up");
  const port = await freePort();
  const environment = {
    ...settingsOf(postgres, directory),
    FLORIN_DATA: data,
    SHOP_PORT: String(await freePort()),
  };
  const log = join(directory, "set-up.log");
  const service = await startInstalled({
    ...{ name: "set-up", installed, port, secretKey: "", log, environment },
  });
  try {
    const demo = JSON.parse(await readFile(join(data, "demo.json"), "utf8"));
    const secretKey: string = demo.test_secret_key;
    const path = `/api/v1/webhook_endpoints/${demo.webhook_endpoint_id}`;
    const body = { url: `${receiverUrl}/webhooks` };
    const response = await post(service.http, path, { bearer: secretKey, key: "receiver", body });
    assert.equal(response.status, 200, response.body);
    const caller = { url: service.url, merchant: { secretKey }, databaseUrl: postgres.url };
    if (rows > 0) await fillDatabase(caller, rows, { days: 365, newestDays: 40 });
    return { secretKey };
  } finally {
    await service.stop();
    await service.http.destroy();
  }
}

/** Stops a service while slow charges are in flight, and counts their responses. */
async function stopWithRequests(
  service: InstalledService,
  acknowledged: Acknowledged[],
  count = slowCharges,
): Promise<Stop> {
  const body = { amount: slowAmount, currency: "usd", payment_method_id: "pm_card_visa" };
  const sent = Array.from({ length: count }, () =>
    post(service.http, "/api/v1/charges", { bearer: service.secretKey, key: randomUUID(), body }),
  );
  const responses = Promise.allSettled(sent);
  // Long enough for the server to have read the requests, and shorter than the acquirer's timeout.
  await sleep(500);
  const { code, tookMs } = await service.stop();
  let answered = 0;
  for (const result of await responses) {
    if (result.status === "rejected" || result.value.status >= 500) continue;
    answered++;
    const { id, status } = JSON.parse(result.value.body) as { id: ChargeId; status: string };
    acknowledged.push({ chargeId: id, status });
  }
  return { service: service.name, code, tookMs, inFlight: count, answered };
}

const logOf = (directory: string) => readFile(join(directory, "postgres/postgres.log"), "utf8");

async function sizeOfLog(directory: string): Promise<number> {
  return (await logOf(directory)).length;
}

/**
 * Returns what Postgres has logged about sessions that waited for one of these backends for over a second
 * (`log_lock_waits`). The line after the session's line names the backend that holds the lock.
 */
async function lockWaitsSince(
  directory: string,
  start: number,
  pids: ReadonlySet<number>,
): Promise<string[]> {
  const lines = (await logOf(directory)).slice(start).split("\n");
  return lines.filter((line, index) => {
    if (!line.includes("still waiting for")) return false;
    const [, holders = ""] = /holding the lock: ([\d, ]+)/.exec(lines[index + 1] ?? "") ?? [];
    return holders.split(", ").some((pid) => pids.has(Number(pid)));
  });
}
