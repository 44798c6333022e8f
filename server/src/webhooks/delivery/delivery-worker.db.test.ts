import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { dose } from "../../../test/test-size.ts";
import { createTestTimers } from "../../../test/test-timers.ts";
import { uuidOf } from "../../core/ids.ts";
import {
  createDeliveryFixture,
  database,
  directory,
  fine,
  type Received,
  receiver,
  startFirstTurn,
  testDatabase,
} from "./delivery.fixture.ts";
import { releaseDeliveriesOf } from "./delivery.sql.ts";

test("an event reaches its endpoint, signed, and the delivery succeeds", async () => {
  const fixture = await createDeliveryFixture();
  const shop = await receiver(fine);
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const worker = fixture.start();
  const delivery = await fixture.delivery(1);
  assert.equal(delivery.status, "succeeded");
  assert.equal(delivery.attempts, 1);
  const [entry] = delivery.log;
  assert.deepEqual([entry?.status_code, entry?.failure, entry?.response], [200, null, "thanks"]);
  const { headers, body } = shop.received[0] as Received;
  assert.equal(headers["content-type"], "application/json");
  new Webhook(fixture.secret).verify(body, headers as Record<string, string>);
  assert.match(String(headers["webhook-id"]), /^evt_/);
  await worker.stop();
});

test("wake sends immediately instead of at the next poll", async () => {
  const fixture = await createDeliveryFixture();
  const shop = await receiver(fine);
  await fixture.endpoint(shop.url);
  const timers = createTestTimers();
  const worker = fixture.start({}, { timers });
  await timers.turn();
  await fixture.happen();
  worker.wake();
  await fixture.delivery(1);
  assert.equal(shop.received.length, 1);
  await worker.stop();
});

test("a delivery in flight of a killed worker is sent again immediately under the same ID, and its log shows both attempts", async () => {
  const fixture = await createDeliveryFixture();
  let holding = true;
  const shop = await receiver((response) => (holding ? undefined : fine(response)));
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const child: ChildProcess = spawn(
    process.execPath,
    [
      path.join(import.meta.dirname, "../../../test/deliver-in-child.ts"),
      testDatabase.url,
      directory,
    ],
    { stdio: "inherit" },
  );
  while (shop.received.length === 0) await sleep(10);
  child.kill("SIGKILL");
  await once(child, "exit");
  holding = false;
  const [leased] = await fixture.deliveries();
  assert.deepEqual([leased?.status, leased?.attempts, leased?.log], ["pending", 1, []]);

  fixture.clock.time = new Date();
  const { worker, timers } = startFirstTurn(fixture);
  await timers.turn();
  assert.equal(shop.received.length, 1, "the lease still holds");
  const number = Number(leased?.claimed_by);
  await database.transaction((tx) => releaseDeliveriesOf(tx, number, fixture.clock.time));
  await timers.turn();
  const { status: state, attempts, log } = await fixture.delivery(2);
  assert.deepEqual([state, attempts], ["succeeded", 2]);
  assert.deepEqual(
    log.map(({ status_code, failure }) => [status_code, failure?.code]),
    [
      [null, "worker_lost"],
      [200, undefined],
    ],
  );
  assert.equal(shop.received[0]?.headers["webhook-id"], shop.received[1]?.headers["webhook-id"]);
  await worker.stop();
});

test("stop releases claimed deliveries that have not begun", async () => {
  const fixture = await createDeliveryFixture();
  const slow = await receiver((response) => void setTimeout(() => response.end(), 300));
  await fixture.endpoint(slow.url);
  await fixture.happen(8);
  const worker = fixture.start({ maxInFlight: 2 });
  while (slow.received.length < 2) await sleep(5);
  await worker.stop();
  const rows = await fixture.deliveries();
  const started = rows.filter(({ attempts }) => attempts === 1);
  assert.deepEqual([started.length, slow.received.length], [2, 2]);
  assert.ok(started.every(({ status: state }) => state === "succeeded"));
  const others = rows.filter(({ attempts }) => attempts === 0);
  assert.ok(others.every((row) => Number(row.next_attempt_at) === Number(fixture.clock.time)));
  assert.equal(others.length, 6);
  await database.transaction(
    (tx) => tx`delete from webhook_deliveries where account_id = ${uuidOf(fixture.scope.account)}`,
  );
});

test("deliveries begin in the order of their claim, and those of one object are sequential", async () => {
  const fixture = await createDeliveryFixture();
  const bodies: string[] = [];
  let open = 0;
  const shop = await receiver((response) => {
    open++;
    setTimeout(() => {
      assert.equal(open, 1, "two events about one object are in flight");
      open--;
      response.end();
    }, 5);
  });
  await fixture.endpoint(shop.url);
  const object = crypto.randomUUID();
  for (let n = 0; n < 12; n++) {
    await fixture.happen(1, object);
    fixture.advance(1);
  }
  const worker = fixture.start();
  while (shop.received.length < 12) await sleep(5);
  for (const { body } of shop.received) bodies.push(body);
  await worker.stop();
  const events = await database.read<{ body: string }>`
    select e.body from events e where e.account_id = ${uuidOf(fixture.scope.account)} order by e.id`;
  assert.deepEqual(
    bodies,
    events.map(({ body }) => body),
  );
});

test("the last attempt is repeated if its worker dies, and the delivery does not fail", async () => {
  const fixture = await createDeliveryFixture();
  const shop = await receiver(fine);
  await fixture.endpoint(shop.url);
  await fixture.happen();
  await database.transaction(
    (tx) => tx`
      update webhook_deliveries set attempts = 10, claimed_by = 123456
       where account_id = ${uuidOf(fixture.scope.account)}`,
  );
  const worker = fixture.start();
  const { status: state, attempts, log } = await fixture.delivery(2);
  assert.deepEqual([state, attempts, log[0]?.failure?.code], ["succeeded", 10, "worker_lost"]);
  await worker.stop();
});

test("a delivery that a dead server claimed while its clock was ahead is due immediately", async () => {
  const fixture = await createDeliveryFixture();
  const shop = await receiver(fine);
  await fixture.endpoint(shop.url);
  const dayMs = 86_400_000;
  fixture.advance(dayMs);
  await fixture.happen();
  const ahead = fixture.clock.time;
  await database.transaction(
    (tx) => tx`
      update webhook_deliveries
         set attempts = 1, claimed_by = 123456, next_attempt_at = ${ahead}::timestamptz + interval '30 seconds'
       where account_id = ${uuidOf(fixture.scope.account)}`,
  );
  fixture.advance(-dayMs);
  await database.transaction((tx) => releaseDeliveriesOf(tx, 123456, fixture.clock.time));
  const worker = fixture.start();
  const { status: state } = await fixture.delivery(2);
  assert.equal(state, "succeeded");
  await worker.stop();
});

test("a worker whose delivery was taken over changes nothing", async () => {
  const fixture = await createDeliveryFixture();
  const responses: (() => void)[] = [];
  const shop = await receiver((response) => void responses.push(() => response.end()));
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const timers = createTestTimers();
  const slow = fixture.start({}, { timers });
  // After a claim, the worker immediately claims once more. This turn lets the second claim end before the delivery is
  // released below, so that the slow worker does not claim the delivery again.
  await timers.turn();
  while (responses.length < 1) await sleep(5);
  const [held] = await fixture.deliveries();
  const number = Number(held?.claimed_by);
  await database.transaction((tx) => releaseDeliveriesOf(tx, number, fixture.clock.time));
  fixture.advance(1_000);
  const other = fixture.start();
  while (responses.length < 2) await sleep(5);
  responses[0]?.();
  await slow.stop();
  assert.equal((await fixture.deliveries())[0]?.status, "pending");
  responses[1]?.();
  const { status: state, attempts, log } = await fixture.delivery(2);
  assert.deepEqual([state, attempts, log[0]?.failure?.code], ["succeeded", 2, "worker_lost"]);
  await other.stop();
});

const shared = dose("shared-deliveries", { short: 1_500, long: 10_000 });

test(`three workers share ${shared} deliveries and send none twice`, async () => {
  const fixture = await createDeliveryFixture();
  const seen = new Map<string, number>();
  const shop = await receiver((response, { headers }) => {
    const id = String(headers["webhook-id"]);
    seen.set(id, (seen.get(id) ?? 0) + 1);
    fine(response);
  });
  await fixture.endpoint(shop.url);
  await fixture.happen(shared);
  const workers = [fixture.start(), fixture.start(), fixture.start()];
  while (seen.size < shared) await sleep(20);
  await Promise.all(workers.map((worker) => worker.stop()));
  assert.equal(shop.received.length, shared);
  const rows = await fixture.deliveries();
  assert.ok(rows.every(({ status: state, attempts }) => state === "succeeded" && attempts === 1));
});
