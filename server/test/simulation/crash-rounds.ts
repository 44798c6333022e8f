import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { type Report, verify } from "../../src/insights/verify/verify.ts";
import { connectDatabase } from "../../src/platform/database/database.ts";
import {
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from "../../src/platform/database/embedded.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { dose } from "../test-size.ts";
import {
  listEventsMissing,
  listOldestOpen,
  listSessionsLost,
  makeDelayedInquiriesDue,
  waitForDeliveries,
  waitForOutcomes,
} from "./completed-work.ts";
import { createClients } from "./crash-clients.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";
import { type Random, seededRandom } from "./seeded-random.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

/**
 * The number of clients that start at each interval. At any moment, requests are therefore in every stage. The short
 * dose starts fewer, because it shares the machine with other test files.
 */
const perBurst = dose("per-burst", { short: 1, long: 3 });
const burstEveryMs = 50;
/** The maximum number of clients. Without it, requests would queue on a slow machine, and few would be in progress. */
const maxWaiting = 400;

export type CrashFigures = {
  readonly rounds: number;
  readonly kills: number;
  /** The number of killed worker processes of services with several processes. */
  readonly workerKills: number;
  readonly databaseCrashes: number;
  readonly suspensions: number;
  readonly charges: number;
  readonly retries: number;
  readonly roundsPerMinute: number;
  /** The time from the last crash until every charge had an outcome. */
  readonly outcomesKnownAfterMs: number;
  /**
   * The number of charges without an outcome after several interrupted inquiries. Their next inquiry was due only
   * minutes later.
   */
  readonly inquiriesExhausted: number;
  readonly deliveredAfterMs: number;
  readonly report: Report;
  readonly missingWebhooks: readonly string[];
  readonly lostSessions: readonly string[];
};

/**
 * Crashes a server, one of its `processes`, or Postgres, and repeats this `rounds` times, while clients send requests
 * and retry them with the same key. Then waits until all work is done, and checks that no payment was lost or
 * duplicated.
 */
export async function crashRounds(
  rounds: number,
  seed: number,
  print: (line: string) => void,
  processes = 1,
): Promise<CrashFigures> {
  const random = seededRandom(seed);
  const directory = await mkdtemp(join(tmpdir(), "florin-crash-"));
  const postgres = await startEmbeddedPostgres({ directory, log: () => undefined });
  const receiver = await startWebhookReceiver();
  const database = connectDatabase({
    url: postgres.url,
    poolSize: 2,
    onIdleError: () => undefined,
  });
  let servers: ServerProcess[] = [];
  let load = true;
  try {
    await migrate(postgres.url);
    const embed = await builtEmbed();
    const startOnce = () =>
      startServer({
        databaseUrl: postgres.url,
        dataDirectory: directory,
        embedDirectory: embed.outdir,
        shopUrl: receiver.url,
        environment: { FLORIN_PROCESSES: String(processes) },
      });
    // A server that starts while Postgres recovers exits with an error. Starts it again, as a process supervisor would.
    const start = () => retryWhileUnavailable(startOnce, { tries: 20, everyMs: 200 });
    const clients = createClients(random, () => servers);
    const counts = { kills: 0, workerKills: 0, databaseCrashes: 0, suspensions: 0 };
    servers = [await start()];
    const started = performance.now();
    const loading = (async () => {
      for (; load; await sleep(burstEveryMs)) {
        for (let n = 0; n < perBurst && clients.waiting() < maxWaiting; n++) clients.start();
      }
    })();

    for (let round = 1; round <= rounds; round++) {
      if (servers.length < 2 && random.happens(0.3)) servers.push(await start());
      await sleep(random.between(100, 900));
      if (processes > 1 && random.happens(0.7)) {
        counts.workerKills++;
        servers[random.between(0, servers.length - 1)]?.killWorker();
        continue;
      }
      await crash(random, servers, directory, counts);
      assertRunning(servers);
      if (servers.length === 0) servers.push(await start());
      if (round % 50 === 0) print(`round ${round}: ${clients.figures.started} clients`);
    }
    const roundsPerMinute = (rounds * 60_000) / (performance.now() - started);
    load = false;
    await loading;

    const lastCrashAt = performance.now();
    assertRunning(servers);
    // Postgres may still be recovering from a crash.
    await retryWhileUnavailable(() => database.read`select 1`);
    const inquiriesExhausted = await makeDelayedInquiriesDue(database);
    const outcomesKnownAfterMs = await waitForOutcomes(database, lastCrashAt, clients).catch(
      async (error) => {
        assertRunning(servers);
        for (const line of await listOldestOpen(database)) print(line);
        throw error;
      },
    );
    const deliveredAfterMs = await waitForDeliveries(database, lastCrashAt);
    assertRunning(servers);
    for (const server of servers) await server.stop();
    const report = await verify(database, {
      cards: true,
      endpointsNeverChanged: true,
      acknowledged: clients.acknowledged,
    });
    return {
      rounds,
      ...counts,
      roundsPerMinute,
      charges: clients.acknowledged.length + clients.completed.size,
      retries: clients.figures.retries,
      inquiriesExhausted,
      outcomesKnownAfterMs,
      deliveredAfterMs,
      report,
      missingWebhooks: await listEventsMissing(database, receiver.received),
      lostSessions: await listSessionsLost(database, clients.completed),
    };
  } finally {
    load = false;
    for (const server of servers) await server.kill();
    receiver.close();
    await database.close();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Kills a server, crashes Postgres, does both, or suspends a server. */
async function crash(
  random: Random,
  servers: ServerProcess[],
  directory: string,
  counts: { kills: number; databaseCrashes: number; suspensions: number },
): Promise<void> {
  const victim = random.between(0, servers.length - 1);
  if (servers.length > 1 && random.happens(0.2)) {
    counts.suspensions++;
    await (servers[victim] as ServerProcess).suspend(random.between(200, 2_000));
    return;
  }
  const both = random.happens(0.5);
  if (random.happens(0.1)) {
    counts.databaseCrashes++;
    await stopEmbeddedPostgres(directory, "immediate");
    if (!both) return;
  }
  counts.kills++;
  const [killed] = servers.splice(victim, 1) as [ServerProcess];
  await killed.kill();
}

/** Asserts that no server has exited unexpectedly. A crash of Postgres must not end a server. */
function assertRunning(servers: readonly ServerProcess[]): void {
  for (const server of servers) {
    const output = server.outputOfUnexpectedExit();
    assert(output === null, `A server exited unexpectedly: ${output}`);
  }
}
