import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startLoop } from "./loop.ts";

const never = 1_000_000;
const unexpected = (name: string, error: unknown) => assert.fail(`${name}: ${error}`);

test("a turn that did work is followed by the next at once", async () => {
  let left = 5;
  const loop = startLoop({
    name: "test",
    everyMs: never,
    work: async () => left-- > 0,
    onError: unexpected,
  });
  await sleep(20);
  assert.equal(left, -1);
  await loop.stop();
});

test("wake ends the wait, and a wake during a turn takes effect afterwards", async () => {
  let turns = 0;
  const loop = startLoop({
    name: "test",
    everyMs: never,
    work: async () => {
      turns++;
      await sleep(10);
      return false;
    },
    onError: unexpected,
  });
  loop.wake();
  loop.wake();
  await sleep(50);
  assert.equal(turns, 2);
  loop.wake();
  await sleep(30);
  assert.equal(turns, 3);
  await loop.stop();
});

test("a failed turn is reported and retried, and wake does not shorten the backoff", async () => {
  const errors: unknown[] = [];
  let turns = 0;
  const loop = startLoop({
    name: "test",
    everyMs: never,
    work: async () => {
      turns++;
      if (turns === 1) throw new Error("the database is away");
      return false;
    },
    onError: (_, error) => errors.push(error),
  });
  for (let times = 0; times < 5; times++) {
    loop.wake();
    await sleep(5);
  }
  assert.equal(turns, 1);
  await sleep(150);
  assert.equal(turns, 2);
  assert.equal(errors.length, 1);
  await loop.stop();
});

test("stop lets the running turn finish and starts no other", async () => {
  let finished = 0;
  const loop = startLoop({
    name: "test",
    everyMs: 1,
    work: async () => {
      await sleep(30);
      finished++;
      return true;
    },
    onError: unexpected,
  });
  await sleep(5);
  await loop.stop();
  assert.equal(finished, 1);
  await sleep(40);
  assert.equal(finished, 1);
});
