import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { request } from "undici";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { connectDatabase } from "../../src/platform/database/database.ts";
import { startEmbeddedPostgres } from "../../src/platform/database/embedded.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { slowed } from "../slowness.ts";
import { dose } from "../test-size.ts";
import { until } from "../until.ts";
import { type Clients, createClients } from "./crash-clients.ts";
import { seededRandom } from "./seeded-random.ts";
import { startServer } from "./server-process.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

const kills = dose("kills", { short: 1, long: 100 });

const directory = await mkdtemp(join(tmpdir(), "florin-processes-"));
const postgres = await startEmbeddedPostgres({ directory, log: () => undefined });
await migrate(postgres.url);
const receiver = await startWebhookReceiver();
const server = await startServer({
  databaseUrl: postgres.url,
  dataDirectory: directory,
  embedDirectory: (await builtEmbed()).outdir,
  shopUrl: receiver.url,
  environment: { FLORIN_PROCESSES: "4" },
});
const database = connectDatabase({
  url: postgres.url,
  poolSize: 2,
  onIdleError: () => undefined,
});
after(async () => {
  await server.stop();
  receiver.close();
  await database.close();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Returns the number of the process that started last. */
const readNewest = async () => {
  const [row] = await database.read<{ newest: number }>`
    select max(number) as newest from processes
  `;
  return row?.newest ?? 0;
};

/** Sends a health probe on a new connection, which any running process can accept. Returns true for the status 200. */
async function isAnswered(): Promise<boolean> {
  const response = await request(`${server.url}/livez`, {
    reset: true,
    headersTimeout: 10_000,
  }).catch(() => null);
  await response?.body.dump();
  return response?.statusCode === 200;
}

test(`while ${kills} processes of four are killed under load, the others respond, and no charge is lost or duplicated`, async (t) => {
  const clients: Clients = createClients(seededRandom(1), () => [server]);
  let load = true;
  const loading = (async () => {
    for (; load; await sleep(50)) if (clients.waiting() < 50) clients.start();
  })();
  const answered = { yes: 0, no: 0 };
  const probing = (async () => {
    for (; load; await sleep(20)) answered[(await isAnswered()) ? "yes" : "no"] += 1;
  })();
  try {
    for (let kill = 0; kill < kills; kill++) {
      await sleep(500);
      const before = await readNewest();
      server.killWorker();
      await until(readNewest, (newest) => newest > before, slowed(30_000));
    }
    // On a fast machine, the killed process runs again after few charges.
    const charged = () => Promise.resolve(clients.acknowledged.length);
    await until(charged, (count) => count > 30, slowed(30_000));
  } finally {
    load = false;
  }
  await Promise.all([loading, probing]);
  await clients.finished();
  await until(
    async () => {
      const [row] = await database.read<{ open: number }>`
        select count(*) as open from charges where status = 'processing'
      `;
      return row?.open;
    },
    (open) => open === 0,
    slowed(120_000),
  );
  const report = await verify(database, { cards: true, acknowledged: clients.acknowledged });
  t.diagnostic(
    `${clients.acknowledged.length} charges acknowledged, ${clients.figures.retries} requests sent again, ` +
      `${answered.yes} probes answered, ${answered.no} not`,
  );
  assert.equal(report.violations, 0, printReport(report));
  assert.ok(clients.acknowledged.length > 30, "too few charges for a meaningful test");
  // A connection that was passed to a process at the moment of its death is closed.
  assert.ok(answered.no <= kills, `${answered.no} probes failed after ${kills} kills`);
  assert.ok(answered.yes > 2 * kills, `only ${answered.yes} probes were answered`);
});

test("besides its pool, each process opens at most the number of connections that the service budgets for it", async () => {
  const [row] = await database.read<{ count: number }>`
    select count(*) as count from pg_stat_activity where application_name = 'florin batch'
  `;
  assert.ok(row && row.count > 4 * 2 && row.count <= 4 * 18, `${row?.count} connections`);
});

test("a stopped service ends all its processes, and each process removes its registration", async () => {
  await server.stop();
  assert.equal(await isAnswered(), false);
  await until(
    async () => (await database.read`select number from processes`).length,
    (count) => count === 0,
  );
});
