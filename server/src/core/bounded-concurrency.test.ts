import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { boundConcurrency, Overloaded } from "./bounded-concurrency.ts";

test("running and queued work is limited, further work is rejected, and freed slots go to the queue", async () => {
  const bounded = boundConcurrency({ maxRunning: 2, maxWaiting: 3 });
  let running = 0;
  let max = 0;
  const gates = Array.from({ length: 7 }, () => Promise.withResolvers<void>());
  const results = gates.map(({ promise }, at) =>
    bounded(async () => {
      max = Math.max(max, ++running);
      await promise;
      running--;
      if (at === 1) throw new Error("failed");
      return at;
    }).catch((error: unknown) => (error instanceof Overloaded ? "overloaded" : "failed")),
  );
  for (const { resolve } of gates) {
    resolve();
    await setImmediate();
  }
  assert.deepEqual(await Promise.all(results), [0, "failed", 2, 3, 4, "overloaded", "overloaded"]);
  assert.equal(max, 2);
  assert.equal(await bounded(async () => "again"), "again");
});

test("queued work whose signal aborts is rejected immediately and never runs", async () => {
  const bounded = boundConcurrency({ maxRunning: 1, maxWaiting: 1 });
  const gate = Promise.withResolvers<string>();
  const first = bounded(() => gate.promise);
  const deadline = new AbortController();
  let ran = false;
  const late = bounded(async () => {
    ran = true;
  }, deadline.signal);
  deadline.abort(new Error("too late"));
  await assert.rejects(late, /too late/);
  const next = bounded(async () => "next");
  gate.resolve("first");
  assert.deepEqual(await Promise.all([first, next]), ["first", "next"]);
  assert.equal(ran, false);
});
