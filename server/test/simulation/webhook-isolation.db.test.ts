import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { uuidOf } from "../../src/core/ids.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { createTestDatabase } from "../database.ts";
import { slowed } from "../slowness.ts";
import { dose } from "../test-size.ts";
import {
  connectTestDatabase,
  createMerchant,
  insertEvents,
  type Merchant,
} from "./webhook-events.ts";
import { startWebhookWorker } from "./webhook-worker.ts";

/** The number of events for each dead endpoint. */
const events = dose("events", { short: 300, long: 10_000 });
const seconds = dose("seconds", { short: 4, long: 120 });

const healthyEndpoints = 97;
const eventsPerSecond = 100;

test(`three dead endpoints with ${events} events each delay at most 1 % of the other webhooks by more than two seconds`, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "florin-isolation-"));
  const testDatabase = await createTestDatabase();
  const database = connectTestDatabase(testDatabase.url);
  const keys = createLocalKeyProvider(directory);
  const arrived = new Map<string, number>();
  const healthyUrl = await listenWith((response, id, body) => {
    if (!arrived.has(id)) arrived.set(id, Date.now() - JSON.parse(body).happened_at);
    response.end();
  });
  const failingUrl = await listenWith((response) => void response.writeHead(500).end("no"));
  const slowUrl = await listenWith((response) => {
    response.writeHead(200, { "content-length": "100000" });
    const timer = setInterval(() => response.write("."), 1_000);
    response.on("close", () => clearInterval(timer));
  });
  // Accepts the connection and never responds.
  const silent = createTcpServer((socket) => socket.on("error", () => undefined).resume());
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;

  const healthy: Merchant[] = [];
  while (healthy.length < healthyEndpoints)
    healthy.push(await createMerchant(database, keys, healthyUrl));
  const dead: Merchant[] = [];
  for (const url of [silentUrl, slowUrl, failingUrl])
    dead.push(await createMerchant(database, keys, url));

  let worker = await startWebhookWorker(testDatabase.url, directory);
  t.after(async () => {
    await worker.kill();
    silent.close();
    await database.close();
    await testDatabase.drop();
    await rm(directory, { recursive: true, force: true });
  });
  // Warm up first, so that the memory for normal work does not count as growth.
  await load(Math.min(seconds, 20));
  const before = worker.megabytes();
  for (const merchant of dead) await insertEvents(database, merchant, events);
  const first = arrived.size;
  await load(seconds);
  await waitForHealthyDeliveries();
  const grown = worker.megabytes() - before;
  assert.equal(worker.outputOfUnexpectedExit(), null);

  const latencies = [...arrived.values()].slice(first).sort((a, b) => a - b);
  const p99 = latencies[Math.floor(latencies.length * 0.99)] as number;
  const pendingCounts = await Promise.all(dead.map(countPending));
  t.diagnostic(
    `${latencies.length} healthy deliveries: p50 ${latencies[latencies.length >> 1]} ms, p99 ${p99} ms, ` +
      `longest ${latencies.at(-1)} ms; ${pendingCounts.map(({ tried }) => tried).join(", ")} attempts to the dead endpoints; ` +
      `${grown.toFixed(0)} MB memory growth`,
  );
  assert.ok(p99 <= slowed(2_000), `p99 is ${p99} ms`);
  assert.ok(grown <= 50, `${grown} MB memory growth`);
  for (const { pending } of pendingCounts)
    assert.equal(pending, events, "a delivery was lost or abandoned");

  // Another worker delivers all events of the healthy endpoints after a kill.
  await worker.kill();
  worker = await startWebhookWorker(testDatabase.url, directory);
  await load(2);
  await waitForHealthyDeliveries();

  async function load(forSeconds: number): Promise<void> {
    const until = performance.now() + forSeconds * 1_000;
    for (let turn = 0; performance.now() < until; turn++) {
      const started = performance.now();
      const merchant = healthy[turn % healthy.length] as Merchant;
      await insertEvents(database, merchant, 10);
      await sleep(Math.max(0, (10 * 1_000) / eventsPerSecond - (performance.now() - started)));
    }
  }

  /** Waits until all events of the healthy endpoints are delivered. */
  async function waitForHealthyDeliveries(): Promise<void> {
    const accounts = dead.map(({ scope }) => uuidOf(scope.account));
    for (const deadline = performance.now() + slowed(60_000); ; await sleep(50)) {
      const [row] = await database.read<{ n: number }>`
        select count(*) as n from webhook_deliveries
         where status = 'pending' and account_id <> all (${accounts}::uuid[])`;
      if (row?.n === 0) return;
      assert.ok(performance.now() < deadline, `${row?.n} healthy deliveries are pending`);
    }
  }

  async function countPending({ scope }: Merchant): Promise<{ pending: number; tried: number }> {
    const [row] = await database.read<{ pending: number; tried: number }>`
      select count(*) as pending, coalesce(sum(jsonb_array_length(log)), 0)::integer as tried
        from webhook_deliveries where account_id = ${uuidOf(scope.account)} and status = 'pending'`;
    return row as { pending: number; tried: number };
  }

  async function listenWith(
    respond: (response: ServerResponse, id: string, body: string) => void,
  ): Promise<string> {
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      respond(response, String(request.headers["webhook-id"]), body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }
});
