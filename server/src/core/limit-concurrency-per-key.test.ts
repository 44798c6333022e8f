import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { limitConcurrencyPerKey } from "./limit-concurrency-per-key.ts";

test("work per key is limited and runs in order, and other keys run in parallel", async () => {
  const limit = limitConcurrencyPerKey(2);
  const running = { a: 0, b: 0 };
  const max = { a: 0, b: 0 };
  const started: string[] = [];
  const work = (key: "a" | "b", name: string) =>
    limit(key, async () => {
      started.push(name);
      max[key] = Math.max(max[key], ++running[key]);
      await sleep(5);
      running[key]--;
      return name;
    });
  const names = ["1", "2", "3", "4", "5"];
  const [first, second] = await Promise.all([
    Promise.all(names.map((name) => work("a", `a${name}`))),
    Promise.all(names.map((name) => work("b", `b${name}`))),
  ]);
  assert.deepEqual([first, second], [names.map((n) => `a${n}`), names.map((n) => `b${n}`)]);
  assert.deepEqual(max, { a: 2, b: 2 });
  assert.deepEqual(
    started.filter((name) => name.startsWith("a")),
    names.map((n) => `a${n}`),
  );
});

test("failed work releases its slot, and the limiter can be used again when idle", async () => {
  const limit = limitConcurrencyPerKey(1);
  const failing = limit("a", async () => {
    throw new Error("broken");
  });
  const after = limit("a", async () => "done");
  await assert.rejects(failing, /broken/);
  assert.equal(await after, "done");
  assert.equal(await limit("a", async () => "again"), "again");
});
