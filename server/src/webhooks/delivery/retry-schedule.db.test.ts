import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { slowed } from "../../../test/slowness.ts";
import { dose } from "../../../test/test-size.ts";
import { createDeliveryFixture, receiver, status } from "./delivery.fixture.ts";
import { retryDelaysMs } from "./delivery.ts";

const hour = 60 * 60 * 1000;

/** The clock advances only while no delivery is claimed, so without a timeout a lost claim would hang the test. */
const timeout = slowed(600_000);

test("over 75 simulated hours each delivery follows the schedule within 20 percent, is signed again under one id, and then fails", {
  timeout,
}, async () => {
  const deliveries = dose("deliveries", { short: 6, long: 30 });
  const fixture = await createDeliveryFixture();
  const sentAt = new Map<string, number[]>();
  const signatures = new Set<string>();
  const shop = await receiver((response, { headers }) => {
    const times = sentAt.get(String(headers["webhook-id"])) ?? [];
    sentAt.set(String(headers["webhook-id"]), [...times, fixture.clock.time.getTime()]);
    assert.equal(
      Number(headers["webhook-timestamp"]),
      Math.floor(fixture.clock.time.getTime() / 1000),
    );
    signatures.add(String(headers["service-signature"]));
    status(500)(response);
  });
  // Each delivery has its own endpoint, because deliveries to one endpoint share a circuit breaker.
  const fixtures = [fixture];
  while (fixtures.length < deliveries) fixtures.push(await createDeliveryFixture());
  for (const one of fixtures) {
    one.clock.time = fixture.clock.time;
    await one.endpoint(shop.url);
    await one.happen();
  }
  const started = fixture.clock.time.getTime();
  const worker = fixture.start({ pollMs: 5 }, { random: Math.random });

  const next = async () => {
    const rows = (await Promise.all(fixtures.map((one) => one.deliveries()))).flat();
    const resting = rows.every(({ claimed_by }) => claimed_by === null);
    const due = rows.flatMap(({ next_attempt_at }) => next_attempt_at?.getTime() ?? []);
    return { resting, due: Math.min(...due) };
  };
  for (;;) {
    const { resting, due } = await next();
    if (due === Number.POSITIVE_INFINITY) break;
    if (resting && due > fixture.clock.time.getTime()) fixture.clock.time = new Date(due);
    await sleep(5);
  }
  await worker.stop();

  assert.equal(sentAt.size, deliveries);
  assert.equal(signatures.size, deliveries * 10);
  for (const times of sentAt.values()) {
    assert.equal(times.length, 10);
    assert.equal(times[0], started);
    for (const [index, wait] of retryDelaysMs.entries()) {
      const waited = (times[index + 1] as number) - (times[index] as number);
      // A circuit breaker may delay a delivery by up to its backoff.
      assert.ok(waited >= wait * 0.8 && waited <= wait * 1.2 + 75_000, `${waited} after ${wait}`);
    }
  }
  const ended = [...sentAt.values()].map((times) => (times.at(-1) as number) - started);
  const mean = ended.reduce((sum, ms) => sum + ms, 0) / deliveries / hour;
  assert.ok(Math.abs(mean - 75.6) < 75.6 * 0.1, `${mean} hours in the mean`);
});
