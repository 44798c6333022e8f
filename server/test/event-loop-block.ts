import { setTimeout as sleep } from "node:timers/promises";
import { slowed } from "./slowness.ts";

/** The longest time for which a request may block the event loop, because every other caller waits for it. */
export const maxBlockMs = slowed(100);

/**
 * Returns the longest time for which work of this process blocked the event loop, in milliseconds of the thread's CPU
 * time. Time in which a busy machine runs other processes does not count.
 */
export async function measureBlockMs(work: () => Promise<unknown>): Promise<number> {
  let maxBlockedMs = 0;
  let last = process.threadCpuUsage();
  // The loop checks its timers once in each turn, so there is hardly more than one turn between two ticks.
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    maxBlockedMs = Math.max(maxBlockedMs, (user + system) / 1_000);
    last = process.threadCpuUsage();
  }, 2);
  await work();
  // The next tick measures a block at the end.
  await sleep(3);
  clearInterval(timer);
  return maxBlockedMs;
}
