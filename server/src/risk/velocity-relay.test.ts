import assert from "node:assert/strict";
import { test } from "node:test";
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

const relayed = () => new Promise((resolve) => setTimeout(resolve, 200));

test("attempts that are spread over the processes are counted in each of them", async () => {
  const workers = createWorkers(4);
  for (const velocity of workers) velocity.count(scope, "card a", "attempts", now);
  workers[0]?.count(scope, "card a", "declines", now);
  await relayed();
  for (const velocity of workers) {
    const { attempts, declines } = velocity.countsOf(scope, "card a", now).hour;
    assert.deepEqual([attempts, declines], [4, 1]);
  }
});

test("a count of another process is written to Postgres only by that process", async () => {
  const [one, other] = createWorkers(2) as [Velocity, Velocity];
  one.count(scope, "card a", "attempts", now);
  other.count(scope, "card a", "attempts", now);
  await relayed();
  const written = [...one.takeUnshared(10), ...other.takeUnshared(10)];
  assert.deepEqual(
    written.map(({ attempts }) => attempts),
    [1, 1],
  );
  one.replaceShared([{ ...(written[0] as (typeof written)[0]), attempts: 2 }]);
  assert.equal(one.countsOf(scope, "card a", now).hour.attempts, 2);
});
