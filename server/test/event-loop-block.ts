import { setTimeout as sleep } from "node:timers/promises";
import { slowed } from "./slowness.ts";

/** The maximum time for which a request may block the event loop. All other requests wait during this time. */
export const maxBlockMs = slowed(100);

/**
 * Returns the longest time for which work of this process blocked the event loop, in milliseconds of the thread's CPU
 * time. Excludes the time in which a busy machine runs other processes.
 */
export async function measureBlockMs(work: () => Promise<unknown>): Promise<number> {
  let maxBlockedMs = 0;
  let last = process.threadCpuUsage();
  // The event loop checks its timers once per iteration, so the time between two ticks is rarely longer than one
  // iteration.
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    maxBlockedMs = Math.max(maxBlockedMs, (user + system) / 1_000);
    last = process.threadCpuUsage();
  }, 2);
  await work();
  // Wait for one more tick, which measures a block at the end of `work`.
  await sleep(3);
  clearInterval(timer);
  return maxBlockedMs;
}
