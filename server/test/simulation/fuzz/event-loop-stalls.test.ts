import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { maxTurnMs, measureEventLoopStalls } from "./event-loop-stalls.ts";

test("detects an iteration of the event loop that computes too long, and ignores one that waits", async () => {
  const stalls = measureEventLoopStalls();
  try {
    await sleep(20);
    // Blocks the event loop without using CPU time, as on a machine that runs other processes.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * maxTurnMs);
    await sleep(20);
    assert.deepEqual(stalls.seen(), []);
    const started = process.threadCpuUsage();
    while (process.threadCpuUsage(started).user < 2_000 * maxTurnMs);
    await sleep(20);
    const [seen, ...others] = stalls.seen();
    assert.deepEqual(others, []);
    assert.ok(seen && seen.cpuMs >= maxTurnMs);
  } finally {
    stalls.stop();
  }
});
