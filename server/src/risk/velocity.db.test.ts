import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestDatabase } from "../../test/database.ts";
import { newId } from "../core/ids.ts";
import { connectDatabase } from "../platform/database/database.ts";
import { mergeVelocity } from "./velocity.jobs.ts";
import { createVelocity, type Velocity } from "./velocity.ts";

const start = new Date("2026-05-15T12:30:00Z");
const clock = { now: () => start };
const later = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
const scope = () => ({ account: newId("acct", start), livemode: false });

const testDatabase = await createTestDatabase();
const database = connectDatabase({
  url: testDatabase.url,
  poolSize: 2,
  onIdleError: () => undefined,
});
after(async () => {
  await database.close();
  await testDatabase.drop();
});

const merge = (velocity: Velocity) => mergeVelocity({ database, clock, velocity });

test("an attempt counts fully in its clock hour, proportionally in the next hour, and for a day", () => {
  const velocity = createVelocity();
  const shop = scope();
  for (let times = 0; times < 4; times++) velocity.count(shop, "c1", "attempts", start);
  const seen = (minutes: number) => {
    const { hour, day } = velocity.countsOf(shop, "c1", later(minutes));
    return [hour.attempts, day.attempts];
  };
  assert.deepEqual(seen(0), [4, 4]);
  assert.deepEqual(seen(60), [2, 4]);
  assert.deepEqual(seen(91), [0, 4]);
  assert.deepEqual(seen(24 * 60 + 60), [0, 0]);
  assert.equal(
    velocity.countsOf(scope(), "c1", start).day.attempts,
    0,
    "counts of one merchant do not apply to another",
  );
});

test("a withdrawal of an attempt that this process does not know leaves no negative count", () => {
  const velocity = createVelocity();
  const shop = scope();
  const hour = Math.floor(start.getTime() / 3_600_000);
  const withdrawal = { attempts: -1, declines: 0, mismatches: 0 };
  velocity.addOfSibling({ scope: shop, subject: "c1", hour, ...withdrawal });
  assert.equal(velocity.countsOf(shop, "c1", start).hour.attempts, 0);
});

test("two processes share counts, which persist after both stop", async () => {
  const [one, other] = [createVelocity(), createVelocity()];
  const shop = scope();
  for (const velocity of [one, other]) {
    for (let times = 0; times < 3; times++) velocity.count(shop, "c1", "attempts", start);
    velocity.count(shop, "c1", "declines", start);
  }
  await merge(one);
  await merge(other);
  const { day } = other.countsOf(shop, "c1", start);
  assert.deepEqual([day.attempts, day.declines], [6, 2]);
  assert.equal(one.countsOf(shop, "c1", start).day.attempts, 3, "merged with its next own count");
  one.count(shop, "c1", "attempts", start);
  await merge(one);
  assert.equal(one.countsOf(shop, "c1", start).day.attempts, 7);

  const restarted = createVelocity();
  restarted.count(shop, "c1", "declines", start);
  await merge(restarted);
  assert.deepEqual(restarted.countsOf(shop, "c1", start).day, {
    attempts: 7,
    declines: 3,
    mismatches: 0,
  });
});

test("a single attempt is not shared, a decline always is, and no count is shared twice", async () => {
  const velocity = createVelocity();
  const shop = scope();
  velocity.count(shop, "c1", "attempts", start);
  assert.deepEqual(velocity.takeUnshared(10), []);
  velocity.count(shop, "c2", "declines", start);
  assert.deepEqual(
    velocity.takeUnshared(10).map(({ subject, declines }) => [subject, declines]),
    [["c2", 1]],
  );
  assert.deepEqual(velocity.takeUnshared(10), []);
});

test("counts that could not be shared are shared once with the next round", async () => {
  const velocity = createVelocity();
  const shop = scope();
  velocity.count(shop, "c1", "declines", start);
  velocity.restoreUnshared(velocity.takeUnshared(10));
  assert.equal(velocity.countsOf(shop, "c1", start).day.declines, 1);
  assert.deepEqual(
    velocity.takeUnshared(10).map(({ declines }) => declines),
    [1],
  );
});

test("memory is bounded by evicting the oldest subjects", () => {
  const velocity = createVelocity({ capacity: 3 });
  const shop = scope();
  for (let card = 0; card < 5; card++) velocity.count(shop, `c${card}`, "attempts", start);
  const known = (card: number) => velocity.countsOf(shop, `c${card}`, start).day.attempts;
  assert.deepEqual([0, 1, 2, 3, 4].map(known).at(-1), 1);
  assert.ok([0, 1, 2, 3, 4].filter((card) => known(card) > 0).length <= 3);
});
