import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { idFromUuid } from "../../src/core/ids.ts";
import {
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from "../../src/platform/database/embedded.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import type { LogEntry } from "../../src/webhooks/delivery/delivery.ts";
import { slowed } from "../slowness.ts";
import { dose, seed } from "../test-size.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";
import { seededRandom } from "./seeded-random.ts";
import { connectTestDatabase, createMerchant, insertEvents } from "./webhook-events.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";
import { startWebhookWorker, type WebhookWorker } from "./webhook-worker.ts";

const kills = dose("kills", { short: 2, long: 500 });
const crashes = dose("crashes", { short: 1, long: 50 });
const events = dose("events", { short: 300, long: 50_000 });

const workerCount = 3;
const merchants = 10;

test(`no event of ${events} is lost when workers are killed ${kills} times and Postgres crashes ${crashes} times (seed ${seed})`, async (t) => {
  const random = seededRandom(seed);
  const directory = await mkdtemp(join(tmpdir(), "florin-webhook-crashes-"));
  const postgres = await startEmbeddedPostgres({ directory, log: () => undefined });
  await migrate(postgres.url);
  const database = connectTestDatabase(postgres.url);
  const keys = createLocalKeyProvider(directory);
  const receiver = await startWebhookReceiver();
  const workers: WebhookWorker[] = [];
  const starting: Promise<unknown>[] = [];
  t.after(async () => {
    await Promise.allSettled(starting);
    for (const worker of workers) await worker.kill();
    receiver.close();
    await database.close();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  });
  const shops = await Promise.all(
    Array.from({ length: merchants }, () => createMerchant(database, keys, `${receiver.url}/hook`)),
  );
  // The leases are short, because deliveries wait until their lease ends if Postgres crashes while they are claimed.
  const leases = { deadlineMs: 3_000, leaseMs: 10_000 };
  const start = () => startWebhookWorker(postgres.url, directory, leases);
  const add = (started: Promise<WebhookWorker>) => {
    starting.push(started.then((worker) => workers.push(worker)));
  };
  for (let count = 0; count < workerCount; count++) add(start());
  await Promise.all(starting);

  let rounds = 0;
  const perRound = Math.ceil(events / kills);
  const started = performance.now();
  for (let written = 0; rounds < kills; rounds++) {
    // The crash occurs before, during or after the writes and deliveries of this round.
    const writing = write(perRound);
    if (rounds % Math.ceil(kills / crashes) === Math.ceil(kills / crashes) - 1) {
      await sleep(random.between(0, 400));
      await stopEmbeddedPostgres(directory, "immediate");
    }
    await sleep(random.between(200, 700));
    while (workers.length < workerCount - 1) await Promise.race([sleep(20), Promise.all(starting)]);
    const [victim] = workers.splice(random.between(0, workers.length - 1), 1);
    await victim?.kill();
    for (const worker of workers) assert.equal(worker.outputOfUnexpectedExit(), null);
    // The other workers continue while a replacement starts.
    add(retryWhileUnavailable(start));
    written += await writing;
    if (rounds % 50 === 49) t.diagnostic(`round ${rounds + 1}: ${written} events`);
  }
  const tookS = (performance.now() - started) / 1000;

  await Promise.all(starting);
  const lastCrashAt = performance.now();
  while ((await pending()) > 0) {
    assert.ok(
      performance.now() - lastCrashAt < slowed(240_000),
      `${await pending()} deliveries are pending`,
    );
    await sleep(200);
  }
  const deliveredS = (performance.now() - lastCrashAt) / 1000;
  for (const worker of workers) assert.equal(worker.outputOfUnexpectedExit(), null);

  const rows = await database.read<{
    id: string;
    attempts: number;
    status: string;
    log: LogEntry[];
  }>`
    select event_id as id, attempts, status, log from webhook_deliveries`;
  const counts = rows.map(({ id }) => receiver.received.get(idFromUuid("evt", id)) ?? 0);
  const duplicates = counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
  t.diagnostic(
    `${rows.length} events in ${tookS.toFixed(0)} s, all delivered ${deliveredS.toFixed(1)} s after the last kill; ` +
      `${duplicates} duplicates (${((100 * duplicates) / rows.length).toFixed(2)} %), at most ` +
      `${Math.max(...counts)} times the same, at most ${Math.max(...rows.map(({ attempts }) => attempts))} attempts`,
  );
  assert.ok(rows.length >= events * 0.95, `only ${rows.length} events`);
  assert.equal(counts.filter((count) => count === 0).length, 0, "events were lost");
  assert.ok(rows.every(({ status }) => status === "succeeded"));
  assert.ok(rows.every(({ attempts }) => attempts <= 10));
  assert.ok(Math.max(...counts) <= 10, "more attempts than the schedule has");
  // A delivery may be repeated for each attempt in its log that has no response, because that attempt was interrupted.
  const unexplained = rows.filter(({ log }, at) => {
    const withoutResponse = log.filter(({ status_code }) => status_code === null).length;
    return (counts[at] ?? 0) > 1 + withoutResponse;
  });
  assert.deepEqual(unexplained, [], "a delivery was repeated after its outcome was recorded");

  /** Inserts events over about half a second. Repeats an insert that fails because of a crash. */
  async function write(count: number): Promise<number> {
    const parts = 25;
    for (let part = 0; part < parts; part++) {
      await retryWhileUnavailable(() =>
        insertEvents(database, random.pick(shops), Math.ceil(count / parts)),
      );
      await sleep(15);
    }
    return Math.ceil(count / parts) * parts;
  }

  async function pending(): Promise<number> {
    const [row] = await retryWhileUnavailable(
      () => database.read<{ n: number }>`
        select count(*) as n from webhook_deliveries where status = 'pending'`,
    );
    return row?.n ?? 0;
  }
});
