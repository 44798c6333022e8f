import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import pg from "pg";
import { idFromUuid } from "../../src/core/ids.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { type Report, verify } from "../../src/insights/verify/verify.ts";
import { connectDatabase, type Database } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import {
  listEventsMissing,
  listSessionsLost,
  makeDelayedInquiriesDue,
  waitForDeliveries,
  waitForOutcomes,
} from "../simulation/completed-work.ts";
import { createClients } from "../simulation/crash-clients.ts";
import { retryWhileUnavailable } from "../simulation/retry-while-unavailable.ts";
import { seededRandom } from "../simulation/seeded-random.ts";
import { type ServerProcess, startServer } from "../simulation/server-process.ts";
import { startWebhookReceiver } from "../simulation/webhook-receiver.ts";
import { endOfLogs, type HaCluster, type Node, startHaCluster } from "./ha-cluster.ts";
import { type Failure, type Probes, startProbes } from "./probes.ts";

/** The failures of a primary: its processes are killed or suspended, or its network cable is cut. */
export const allKinds = ["kill", "suspend", "cut"] as const;
export type Kind = (typeof allKinds)[number];

export type Round = {
  readonly kind: Kind;
  /** The time from the failure until another node is the primary. */
  readonly electedAfterMs: number;
  /** The time from the election until each server has acknowledged a new charge. */
  readonly answersAfterMs: readonly number[];
  /** The failed charges among those that were sent after the election. */
  readonly failures: readonly Failure[];
  /** The time from the election until the last of these failures. */
  readonly lastFailureAfterMs: number;
  /** The time from the repair of the former primary until it is a standby. */
  readonly wholeAfterMs: number;
};

export type FailoverFigures = {
  readonly rounds: readonly Round[];
  readonly charges: number;
  readonly retries: number;
  readonly webhooks: number;
  /** The latencies of charges while all nodes run, sorted. */
  readonly latenciesMs: readonly number[];
  readonly report: Report;
  readonly missingWebhooks: readonly string[];
  /** The events that the webhook receiver has received and that the database does not contain. */
  readonly unknownWebhooks: readonly string[];
  readonly lostSessions: readonly string[];
  /** The writes of former primaries that were acknowledged, or that exist in the cluster. */
  readonly lateWrites: readonly string[];
};

/**
 * The interval at which another client starts. Each client repeats its charges, captures and refunds until they
 * succeed.
 */
const clientEveryMs = 50;
const maxWaiting = 400;

/** Fails the primary `count` times, in these ways in turn, while clients send requests, and repairs it each time. */
export async function failoverRounds(
  count: number,
  seed: number,
  kinds: readonly Kind[],
  print: (line: string) => void,
): Promise<FailoverFigures> {
  const directory = await mkdtemp(join(tmpdir(), "florin-failover-"));
  // Postgres's user must be able to reach the data directories.
  await chmod(directory, 0o755);
  const random = seededRandom(seed);
  const cluster = await startHaCluster(directory);
  const receiver = await startWebhookReceiver();
  const database = connectDatabase({
    url: cluster.url,
    poolSize: 2,
    onIdleError: () => undefined,
  });
  const servers: ServerProcess[] = [];
  let isConsistent = false;
  try {
    await migrate(cluster.url);
    const { outdir } = await builtEmbed();
    for (const databaseUrl of [cluster.url, cluster.urlOfNodes]) {
      servers.push(
        await startServer({
          databaseUrl,
          dataDirectory: directory,
          embedDirectory: outdir,
          shopUrl: receiver.url,
          environment: { FLORIN_PROCESSES: "2", FLORIN_DATABASE_TLS: "off" },
        }),
      );
    }
    const clients = createClients(random, () => servers);
    const probes = startProbes(() => servers);
    let isLoaded = true;
    const load = (async () => {
      for (; isLoaded; await sleep(clientEveryMs)) {
        if (clients.waiting() < maxWaiting) clients.start();
      }
    })();

    const rounds: Round[] = [];
    const lateWrites: string[] = [];
    const whole: [number, number][] = [];
    for (let number = 0; number < count; number++) {
      const kind = kinds[number % kinds.length] as Kind;
      const primary = await cluster.waitUntilWhole(120_000).catch(async (error: Error) => {
        for (const node of cluster.nodes) print(await endOfLogs(directory, node));
        throw error;
      });
      const wholeSince = performance.now();
      await sleep(random.between(2_000, 5_000));
      whole.push([wholeSince, performance.now()]);
      const late = `${kind} ${number}`;
      const round = await failOver(cluster, primary, servers, probes, kind, late);
      rounds.push(round.figures);
      if (round.isLateWriteAcknowledged) lateWrites.push(`${late} was acknowledged`);
      if (await exists(cluster, late)) lateWrites.push(`${late} exists`);
      const acknowledged = [...clients.acknowledged, ...probes.acknowledged];
      const report = await verify(database, { endpointsNeverChanged: true, acknowledged });
      print(lineOf(number + 1, round.figures, acknowledged.length, report));
      const last = round.figures.failures.at(-1);
      if (last) print(`    the last failure: ${last.problem.slice(0, 200)}`);
      assert.equal(report.violations, 0, printReport(report));
      for (const server of servers) assert.equal(server.outputOfUnexpectedExit(), null);
    }

    isLoaded = false;
    await load;
    await probes.stop();
    const endedAt = performance.now();
    await retryWhileUnavailable(() => database.read`select 1`);
    await makeDelayedInquiriesDue(database);
    await waitForOutcomes(database, endedAt, clients);
    await waitForDeliveries(database, endedAt);
    for (const server of servers) await server.stop();
    const acknowledged = [...clients.acknowledged, ...probes.acknowledged];
    const options = { cards: true, endpointsNeverChanged: true, acknowledged };
    const report = await verify(database, options);
    isConsistent = report.violations === 0;
    return {
      rounds,
      charges: acknowledged.length,
      retries: clients.figures.retries,
      webhooks: receiver.received.size,
      latenciesMs: probes.latencies(whole).toSorted((a, b) => a - b),
      report,
      missingWebhooks: await listEventsMissing(database, receiver.received),
      unknownWebhooks: await listUnknown(database, receiver.received),
      lostSessions: await listSessionsLost(database, clients.completed),
      lateWrites,
    };
  } finally {
    for (const server of servers) await server.kill();
    receiver.close();
    await database.close();
    await cluster.stop();
    if (isConsistent) await rm(directory, { recursive: true, force: true });
    else print(`The data and the logs of the nodes are in ${directory}.`);
  }
}

/** Fails the primary, waits until the service responds again, and repairs the former primary. */
async function failOver(
  cluster: HaCluster,
  failed: Node,
  servers: readonly ServerProcess[],
  probes: Probes,
  kind: Kind,
  late: string,
): Promise<{ figures: Round; isLateWriteAcknowledged: boolean }> {
  const { machine } = failed;
  // Simulates a client that connected before the failure and keeps writing to the former primary afterwards.
  const client = new pg.Client({ connectionString: cluster.superuserUrl(failed) });
  client.on("error", () => undefined);
  await client.connect();
  let isLateWriteAcknowledged = false;
  const text = "insert into probe (name) values ($1)";
  const writeLate = () =>
    void client.query(text, [late]).then(
      () => {
        isLateWriteAcknowledged = true;
      },
      () => undefined,
    );

  const failedAt = performance.now();
  if (kind === "kill") await failed.kill();
  if (kind === "suspend") await machine.signal("SIGSTOP");
  if (kind === "cut") {
    await machine.cut();
    // Simulates a client on the former primary's side of the network partition, where the former primary still accepts
    // connections.
    const insert = `insert into probe (name) values ('${late}')`;
    const target = ["-h", "127.0.0.1", "-U", "postgres", "-c", insert, "postgres"];
    const env = { PGPASSWORD: cluster.password };
    void machine.run(["psql", ...target], { env, timeoutMs: 60_000 }).then((output) => {
      if (output !== null) isLateWriteAcknowledged = true;
    });
  }
  const electedAt = await waitFor("another primary", 120_000, async () => {
    const primary = await cluster.primary();
    return primary !== null && primary !== failed ? performance.now() : null;
  });
  const answers = await Promise.all(
    servers.map((server) =>
      waitFor("a response of every server", 120_000, async () =>
        probes.firstAcknowledged(server, electedAt),
      ),
    ),
  );
  const repairedAt = performance.now();
  if (kind === "kill") failed.start();
  if (kind === "suspend") {
    // The kernel of a suspended machine still receives this statement, and Postgres executes it when it continues.
    writeLate();
    await machine.signal("SIGCONT");
  }
  if (kind === "cut") await machine.connect();
  await cluster.waitUntilWhole(180_000);
  const wholeAt = performance.now();
  const failures = probes.failures(electedAt);
  const lastFailureAt = Math.max(electedAt, ...failures.map(({ endedAt }) => endedAt));
  await client.end().catch(() => undefined);
  const figures = {
    kind,
    electedAfterMs: electedAt - failedAt,
    answersAfterMs: answers.map((at) => at - electedAt),
    failures,
    lastFailureAfterMs: lastFailureAt - electedAt,
    wholeAfterMs: wholeAt - repairedAt,
  };
  return { figures, isLateWriteAcknowledged };
}

async function waitFor<Value>(
  what: string,
  timeoutMs: number,
  find: () => Promise<Value | null>,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await find();
    if (found !== null) return found;
    assert(performance.now() < deadline, `no sign of ${what} after ${timeoutMs} ms`);
    await sleep(100);
  }
}

/** Returns whether the current primary has this row of the table `probe`. */
async function exists(cluster: HaCluster, name: string): Promise<boolean> {
  const primary = await cluster.waitUntilWhole(60_000);
  const client = new pg.Client({ connectionString: cluster.superuserUrl(primary) });
  await client.connect();
  const { rowCount } = await client.query("select from probe where name = $1", [name]);
  await client.end();
  return rowCount !== 0;
}

async function listUnknown(
  database: Database,
  received: ReadonlyMap<string, number>,
): Promise<string[]> {
  const events = await database.read<{ id: string }>`select id from events`;
  const known = new Set<string>(events.map(({ id }) => idFromUuid("evt", id)));
  return [...received.keys()].filter((id) => !known.has(id));
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

function lineOf(number: number, round: Round, charges: number, report: Report): string {
  return (
    `${String(number).padStart(3)} ${round.kind.padEnd(7)} elected after ${seconds(round.electedAfterMs)}, ` +
    `servers answer after ${round.answersAfterMs.map(seconds).join(" and ")}, ` +
    `${round.failures.length} failures until ${seconds(round.lastFailureAfterMs)}, ` +
    `whole after ${seconds(round.wholeAfterMs)}, ${charges} charges acknowledged, ${report.violations} violations`
  );
}
