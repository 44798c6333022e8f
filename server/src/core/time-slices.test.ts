import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachInTimeSlices, paceInTimeSlices } from "./time-slices.ts";

/** Occupies the event loop. */
function work(ms: number): number {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return ms;
}

test("many pieces of work that arrive at once leave about half of the time, and each returns its result", async () => {
  const paced = paceInTimeSlices();
  const before = performance.eventLoopUtilization();
  const results = await Promise.all(Array.from({ length: 60 }, () => paced(() => work(2))));
  const { utilization } = performance.eventLoopUtilization(before);
  assert.deepEqual(results, Array(60).fill(2));
  assert.ok(utilization < 0.75, `the event loop was busy for ${utilization} of the time`);
});

test("work on many items leaves about half of the time", async () => {
  const before = performance.eventLoopUtilization();
  await forEachInTimeSlices(Array(60).fill(2), work);
  const { utilization } = performance.eventLoopUtilization(before);
  assert.ok(utilization < 0.75, `the event loop was busy for ${utilization} of the time`);
});

test("a piece of work runs immediately after a pause, and a thrown error reaches only its caller", async () => {
  const paced = paceInTimeSlices();
  assert.equal(
    paced(() => work(500)),
    500,
  );
  const waiting = paced(() => {
    throw new Error("fails");
  });
  assert.ok(waiting instanceof Promise);
  await assert.rejects(waiting, /fails/);
  assert.equal(
    paced(() => 1),
    1,
  );
});
