import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { slowed } from "../../../test/slowness.ts";
import { until } from "../../../test/until.ts";
import { idFromUuid, uuidOf } from "../../core/ids.ts";
import { dayMs } from "../../core/utc-day.ts";
import { pageOf } from "../../platform/http/list.ts";
import {
  createDeliveryFixture,
  database,
  fine,
  receiver,
  startFirstTurn,
  status,
} from "./delivery.fixture.ts";
import { type DeliveryRow, listDeliveries, resendDelivery } from "./delivery.sql.ts";
import { endBackoff, readEndpoint } from "./endpoint.sql.ts";

type Fixture = Awaited<ReturnType<typeof createDeliveryFixture>>;
type Worker = ReturnType<Fixture["start"]>;

/** Sends an event to another merchant, and asserts that the worker delivers it within a second. */
async function assertDeliveredSoon(fixture: Fixture, worker: Worker): Promise<void> {
  const other = await createDeliveryFixture();
  other.clock.time = fixture.clock.time;
  const shop = await receiver(fine);
  await other.endpoint(shop.url);
  await other.happen();
  const startedAt = performance.now();
  worker.wake();
  await other.delivery(1);
  const tookMs = performance.now() - startedAt;
  assert.ok(tookMs < slowed(1_000), `${tookMs} ms`);
}

/** Deletes the deliveries of the merchant, whose requests never end, and stops the worker. */
async function discard(fixture: Fixture, worker: Worker): Promise<void> {
  await database.transaction(
    (tx) => tx`delete from webhook_deliveries where account_id = ${uuidOf(fixture.scope.account)}`,
  );
  await worker.stop();
}

test("an unreachable endpoint with a long queue does not delay another", async () => {
  const fixture = await createDeliveryFixture();
  const dead = await receiver(() => {});
  await fixture.endpoint(dead.url);
  await fixture.happen(5_000);
  const worker = fixture.start({ deadlineMs: 5_000 });
  while (dead.received.length === 0) await sleep(5);

  await assertDeliveredSoon(fixture, worker);
  assert.ok(
    dead.received.length <= 8,
    `${dead.received.length} requests in flight to the unreachable endpoint`,
  );
  await discard(fixture, worker);
});

test("a merchant with many slow endpoints does not delay another merchant", async () => {
  const fixture = await createDeliveryFixture();
  const slow = await receiver(() => {});
  for (let count = 0; count < 40; count++) await fixture.endpoint(slow.url);
  await fixture.happen(20);
  const worker = fixture.start({ deadlineMs: 5_000, maxHeld: 256, claimSize: 64 });
  // The worker now holds as many of the merchant's deliveries as it ever will.
  while (slow.received.length < 32) await sleep(5);
  await sleep(slowed(500));

  await assertDeliveredSoon(fixture, worker);
  await discard(fixture, worker);
});

test("five consecutive failures open the circuit breaker, and a successful probe closes it", async () => {
  const fixture = await createDeliveryFixture();
  let works = false;
  const shop = await receiver((response) => status(works ? 200 : 500)(response));
  await fixture.endpoint(shop.url);
  await fixture.happen(100);
  const { worker, timers } = startFirstTurn(fixture);
  const backoff = async () => {
    const [row] = await database.read<{ failures: number; backoff_until: Date | null }>`
      select failures, backoff_until from webhook_endpoints
       where account_id = ${uuidOf(fixture.scope.account)}`;
    return row as { failures: number; backoff_until: Date | null };
  };
  await until(backoff, ({ backoff_until }) => backoff_until !== null);
  await fixture.released();
  const before = shop.received.length;
  assert.ok(before < 30, `${before} deliveries were sent to an endpoint that fails`);
  await timers.turn();
  assert.equal(
    shop.received.length,
    before,
    "a delivery was sent while the circuit breaker was open",
  );
  /**
   * Ends each backoff until this many deliveries were sent. The worker records the endpoint's failure after the
   * delivery's failure, so the next backoff can start late.
   */
  const probeUntil = (sent: number) =>
    until(
      async () => {
        const { backoff_until } = await backoff();
        // If a probe was recorded before `backoff_until` was read, the shop has already received the probe, and the
        // test must not end the new backoff.
        if (shop.received.length < sent) {
          fixture.clock.time = backoff_until as Date;
          timers.elapse();
        }
        return shop.received.length;
      },
      (received) => received >= sent,
    );
  for (let probe = 1; probe <= 3; probe++) {
    await probeUntil(before + probe);
    await fixture.released();
    await timers.turn();
    assert.equal(shop.received.length, before + probe, "more than one probe was sent");
  }
  works = true;
  await probeUntil(before + 4);
  const delivered = async () => {
    timers.elapse();
    return (await fixture.deliveries()).filter((one) => one.status === "succeeded").length;
  };
  await until(delivered, (count) => count >= 100 - before - 3);
  assert.deepEqual(await backoff(), { failures: 0, backoff_until: null });
  const waited = (await fixture.deliveries()).filter(({ log }) => log.length === 1);
  assert.ok(waited.length > 60, "deliveries that waited for the circuit breaker used up attempts");
  await worker.stop();
});

test("a circuit breaker that opened while the clock was a day ahead does not delay deliveries after a correction", async () => {
  const fixture = await createDeliveryFixture();
  let works = false;
  const shop = await receiver((response) => status(works ? 200 : 500)(response));
  const id = await fixture.endpoint(shop.url);
  fixture.advance(dayMs);
  await fixture.happen(100);
  const worker = fixture.start();
  await until(
    () => readEndpoint(database.read, fixture.scope, id),
    (endpoint) => Boolean(endpoint?.failing?.backoffUntil),
  );
  await fixture.released();

  works = true;
  fixture.advance(-dayMs);
  await fixture.happen();
  await until(
    () => fixture.deliveries(),
    (rows) => rows.some((row) => row.status === "succeeded"),
  );
  await until(
    () => readEndpoint(database.read, fixture.scope, id),
    (endpoint) => endpoint?.failing === null,
  );
  await worker.stop();
});

test("a manual resend bypasses the circuit breaker and the queue, with a single request", async () => {
  const fixture = await createDeliveryFixture();
  let works = false;
  const shop = await receiver((response) => status(works ? 200 : 500)(response));
  const id = await fixture.endpoint(shop.url);
  await fixture.happen(100);
  const { worker, timers } = startFirstTurn(fixture);
  const failing = async () => (await readEndpoint(database.read, fixture.scope, id))?.failing;
  await until(failing, (found) => Boolean(found?.backoffUntil));
  await fixture.released();
  const before = shop.received.length;
  const waiting = async () => {
    const page = pageOf({ limit: 100 }, "whd");
    const rows = await listDeliveries(database.read, fixture.scope, { endpointId: id }, page);
    return rows.filter(({ log }) => log.length === 0);
  };
  // Resends the newest delivery. The list is sorted from newest to oldest.
  const requested = (await waiting())[0] as DeliveryRow;
  const request = async () => {
    const now = fixture.clock.time;
    await database.transaction(async (tx) => {
      await resendDelivery(tx, fixture.scope, idFromUuid("whd", requested.id), now);
      await endBackoff(tx, fixture.scope, id, now);
    });
  };
  await request();
  await timers.turn();
  await until(
    async () => shop.received.length,
    (received) => received > before,
  );
  await fixture.released();
  await timers.turn();
  assert.equal(shop.received.length, before + 1, "more than one delivery was sent");
  const event = idFromUuid("evt", requested.event_id);
  assert.equal(shop.received.at(-1)?.headers["webhook-id"], event);
  // The worker records the endpoint's failure after the delivery's outcome. This failure opens the circuit breaker
  // again.
  const isOpen = (found: Awaited<ReturnType<typeof failing>>) =>
    Number(found?.backoffUntil) > Number(fixture.clock.time);
  const backoffUntil = (await until(failing, isOpen))?.backoffUntil as Date;
  const [next] = await waiting();
  assert.deepEqual(next?.next_attempt_at, backoffUntil, "a waiting delivery shows when it is sent");

  works = true;
  await request();
  const left = async () => {
    timers.elapse();
    return (await waiting()).length;
  };
  await until(left, (count) => count === 0);
  assert.equal(shop.received[before + 1]?.headers["webhook-id"], event);
  assert.equal(await failing(), null);
  await worker.stop();
});
