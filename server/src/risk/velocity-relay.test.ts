import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { until } from "../../test/until.ts";
import { newId } from "../core/ids.ts";
import { createChannelPair } from "../platform/processes/channel.ts";
import { createHub } from "../platform/processes/hub.ts";
import { createVelocity, type Velocity } from "./velocity.ts";
import { createVelocityRelay, serveVelocityRelay } from "./velocity-relay.ts";

const now = new Date("2026-05-15T12:30:00Z");
const scope = { account: newId("acct", now), livemode: true };

function createWorkers(count: number): Velocity[] {
  const hub = createHub();
  serveVelocityRelay(hub);
  return Array.from({ length: count }, (_, index) => {
    const [ofPrimary, primary] = createChannelPair();
    hub.add(ofPrimary);
    const relay = createVelocityRelay({ index, count, primary });
    const velocity = createVelocity({ onCount: relay.count });
    relay.deliverTo(velocity);
    return velocity;
  });
}

/** Returns the attempts and declines of the card in each process, once they are as expected. */
function untilCounted(workers: readonly Velocity[], expected: readonly [number, number]) {
  return until(
    async () =>
      workers.map((velocity) => {
        const { attempts, declines } = velocity.countsOf(scope, "card a", now).hour;
        return [attempts, declines];
      }),
    (counts) => counts.every((one) => isDeepStrictEqual(one, expected)),
  );
}

test("attempts that are spread over the processes are counted in each of them", async () => {
  const workers = createWorkers(4);
  for (const velocity of workers) velocity.count(scope, "card a", "attempts", now);
  workers[0]?.count(scope, "card a", "declines", now);
  await untilCounted(workers, [4, 1]);
});

test("each process writes only its own counts to Postgres", async () => {
  const [one, other] = createWorkers(2) as [Velocity, Velocity];
  one.count(scope, "card a", "attempts", now);
  other.count(scope, "card a", "attempts", now);
  await untilCounted([one, other], [2, 0]);
  const written = [...one.takeUnshared(10), ...other.takeUnshared(10)];
  assert.deepEqual(
    written.map(({ attempts }) => attempts),
    [1, 1],
  );
  one.replaceShared([{ ...(written[0] as (typeof written)[0]), attempts: 2 }]);
  assert.equal(one.countsOf(scope, "card a", now).hour.attempts, 2);
});

test("a withdrawn attempt is withdrawn in each process, unless it was already shared through Postgres", async () => {
  const workers = createWorkers(3);
  const [one] = workers as [Velocity];
  for (let times = 0; times < 3; times++) one.count(scope, "card a", "attempts", now);
  await untilCounted(workers, [3, 0]);
  one.withdrawAttempt(scope, "card a", now);
  await untilCounted(workers, [2, 0]);
  assert.deepEqual(
    one.takeUnshared(10).map(({ attempts }) => attempts),
    [2],
  );
  one.withdrawAttempt(scope, "card a", now);
  one.withdrawAttempt(scope, "card b", now);
  // Counts are relayed in order, so this decline arrives after a withdrawal would.
  one.count(scope, "card a", "declines", now);
  await untilCounted(workers, [2, 1]);
  assert.equal(one.countsOf(scope, "card b", now).hour.attempts, 0);
});
