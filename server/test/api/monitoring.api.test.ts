import assert from "node:assert/strict";
import { after, test } from "node:test";
import { uuidOf } from "../../src/core/ids.ts";
import { createGauges } from "../../src/insights/monitoring/database-gauges.ts";
import { createMetrics } from "../../src/insights/monitoring/process-metrics.ts";
import { serveMetrics } from "../../src/insights/monitoring/serve-metrics.ts";
import { whileDatabaseIsClosed } from "../close-database.ts";
import { sendRawBytes } from "../send-raw-bytes.ts";
import { startShop, until } from "../shop.ts";

const meters = createMetrics();
const shop = await startShop({ meters, workers: false });
const { app, clock } = shop;
// On a busy machine, the work of these charges could otherwise become overdue before the test reads the metrics.
clock.stop();
const metrics = serveMetrics({
  configuredHost: "127.0.0.1",
  read: createGauges({
    registry: meters.registry,
    database: app.database,
    clock,
    sendsMail: false,
    onError: (error) => assert.fail(String(error)),
  }),
});
after(async () => {
  await metrics.close();
  await shop.close();
});

const collect = async () => (await metrics.inject({ url: "/metrics" })).body;

/** Repeats the request while the queries of the database take longer than their timeout, as on a busy machine. */
const collectAll = () => until(collect, (text) => /^florin_queue_waiting/m.test(text));

/** Returns the value of one series in Prometheus's format, or undefined if it is not exported. */
async function reported(series: string): Promise<number | undefined> {
  const line = (await collectAll()).split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

const charge = (params = {}) =>
  shop.post("/charges", {
    amount: 1_999,
    currency: "usd",
    payment_method_id: "pm_card_visa",
    ...params,
  });

test("counts requests, charges, acquirer responses and group commits of the process", async () => {
  await charge();
  await charge({ payment_method_id: "pm_card_visa_chargeDeclined" });
  await charge({ amount: 9_004_003 });

  const requestCount = (status: number) =>
    reported(
      `florin_http_requests_total{method="POST",route="/api/v1/charges",status="${status}"}`,
    );
  // The server counts a request after it has sent the response, so the client may receive the response before the
  // request is counted.
  await until(
    () => requestCount(201),
    (count) => count === 2,
  );
  assert.equal(await requestCount(402), 1);
  const outcomesRecorded = (status: string, code = "") =>
    reported(
      `florin_charge_transitions_total{mode="test",status="${status}",decline_code="${code}"}`,
    );
  assert.equal(await outcomesRecorded("succeeded"), 1);
  assert.equal(await outcomesRecorded("failed", "generic_decline"), 1);
  assert.equal(await outcomesRecorded("outcome_unknown"), 1);
  const output = (response: string) =>
    reported(
      `florin_acquirer_responses_total{processor="simulator",operation="authorize",result="${response}"}`,
    );
  assert.equal(await output("approved"), 1);
  assert.equal(await output("declined"), 1);
  assert.equal(await output("unknown_invalid_response"), 1);
  assert.equal(await reported('florin_batch_rows_sum{kind="finalize charges"}'), 3);
});

test("the waits for rate limits are counted by result, and the rejections start at zero", async () => {
  const series = (name: string, result: string) =>
    reported(`florin_acquirer_rate_limit_wait_seconds_${name}{result="${result}"}`);
  assert.equal(await series("count", "rate_limited"), 0);
  meters.waitedForRateLimit("admitted", 0.5);
  assert.equal(await series("count", "admitted"), 1);
  assert.equal(await series("sum", "admitted"), 0.5);
});

test("queue metrics match the database, and return to zero when the work is done", async () => {
  assert.equal(await reported("florin_database_up"), 1);
  const unknown = 'florin_unknown_outcomes{mode="test",reason="outcome_unknown"}';
  assert.equal(await reported(unknown), 1);
  assert.equal(await reported('florin_queue_overdue{queue="charges"}'), 0);
  clock.advance(60_000);
  assert.equal(await reported('florin_queue_overdue{queue="charges"}'), 1);
  const lateBy = await reported('florin_queue_oldest_overdue_seconds{queue="charges"}');
  assert(lateBy && lateBy > 30 && lateBy <= 60, `${lateBy}`);
  assert.equal(
    await reported("florin_checker_violations"),
    undefined,
    "the checker has not run yet",
  );

  await app.database.transaction(
    (tx) =>
      tx`update charges set pending_reason = 'manual_review', due_at = null
          where account_id = ${uuidOf(shop.merchant.account)} and pending_reason = 'outcome_unknown'`,
  );
  assert.equal(await reported(unknown), undefined);
  assert.equal(await reported('florin_unknown_outcomes{mode="test",reason="manual_review"}'), 1);
});

test("the offset of the service's clock from Postgres's clock is reported", async () => {
  const before = (await reported("florin_clock_offset_seconds")) as number;
  clock.advance(90_000);
  const after = (await reported("florin_clock_offset_seconds")) as number;
  assert.ok(Math.abs(after - before - 90) < 30, `${before} s, then ${after} s`);
});

test("notifications of acquirers that need an operator are counted by state", async () => {
  const metric = 'florin_acquirer_notifications{state="review"}';
  assert.equal(await reported(metric), undefined);
  const insert = (key: string, state: string) =>
    app.database.transaction(
      (tx) => tx`
        insert into acquirer_notifications
               (id, connection_id, deduplication_key, event_code, item, state, problem, received_at)
        values (gen_random_uuid(), gen_random_uuid(), ${key}, 'CAPTURE', '{}', ${state}, 'A problem.', now())`,
    );
  await insert("1", "review");
  await insert("2", "dismissed");
  assert.equal(await reported(metric), 1);
});

test("no metric contains a merchant, an object or an unknown path", async () => {
  const { body } = await charge();
  await shop.get(`/charges/${body.id}`);
  await shop.send("GET", "/api/v1/made-up-4242424242424242");
  await until(collect, (text) => text.includes('route="none",status="404"'));
  const text = await collect();
  assert.match(text, /route="\/api\/v1\/charges\/:id"/);
  for (const name of [
    shop.merchant.account,
    shop.merchant.key,
    body.id,
    body.decision_id,
    "made-up",
  ]) {
    assert(!text.includes(name), name);
  }
});

test("if a query hangs, its metrics are omitted, only one connection is used, and no payment is blocked", async () => {
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const locking = app.database.transaction(async (tx) => {
    await tx`lock table webhook_endpoints in access exclusive mode`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const before = app.database.connections().busy;
  const texts = await Promise.all([collect(), collect(), collect()]);
  texts.push(await collect());
  for (const text of texts) {
    assert.match(text, /^florin_database_up 1$/m);
    assert.doesNotMatch(text, /^florin_queue/m);
  }
  assert(
    app.database.connections().busy <= before + 2,
    "one connection holds the lock and one runs the query",
  );
  assert.equal((await shop.get("/charges?limit=1")).status, 200);
  release.resolve();
  await locking;
  await until(collect, (text) => /^florin_queue_waiting/m.test(text));
});

test("reports an unreachable database, and process metrics stay available", async () => {
  await whileDatabaseIsClosed(shop.settings.DATABASE_URL, async () => {
    const text = await collect();
    assert.match(text, /^florin_database_up 0$/m);
    assert.match(text, /^process_resident_memory_bytes \d+$/m);
    assert.doesNotMatch(text, /^florin_(queue|database_size|processes)/m);
  });
  await until(collect, (text) => /^florin_database_up 1$/m.test(text));
});

test("421: rejects a page that rebinds its host name to this machine", async () => {
  const url = await metrics.listen({ host: "127.0.0.1", port: 0 });
  const { port } = new URL(url);
  const statusFor = (host: string) =>
    sendRawBytes(url, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`).then(
      (received) => Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]),
    );
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, "prometheus.localhost", "[::1]"]) {
    assert.equal(await statusFor(host), 200, host);
  }
  for (const host of [`evil.example:${port}`, "10.0.0.1", "localhost.evil.example", "a b"]) {
    assert.equal(await statusFor(host), 421, host);
  }
});
