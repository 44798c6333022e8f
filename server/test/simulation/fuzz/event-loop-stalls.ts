import { slowed } from "../../slowness.ts";

/** A period in which the event loop started no iteration, and the CPU time that its thread used in the period. */
export type Stall = { readonly endedAt: number; readonly gapMs: number; readonly cpuMs: number };

/** The maximum CPU time of one iteration of the event loop on the idle reference machine. */
export const referenceTurnMs = 100;

/** The maximum on this machine. On a slow or busy machine, the same iteration takes more CPU time. */
export const maxTurnMs = slowed(referenceTurnMs);

/**
 * Measures stalls of the event loop. Counts only the CPU time of this thread, because an iteration can take long on an
 * overloaded machine without computing.
 */
export function measureEventLoopStalls(): { seen(): readonly Stall[]; stop(): void } {
  const stalls: Stall[] = [];
  let before = { at: performance.now(), cpuMs: cpuMs() };
  const timer = setInterval(() => {
    const now = { at: performance.now(), cpuMs: cpuMs() };
    const gapMs = now.at - before.at;
    const computedMs = now.cpuMs - before.cpuMs;
    if (Math.min(gapMs, computedMs) > maxTurnMs) {
      stalls.push({ endedAt: Date.now(), gapMs, cpuMs: computedMs });
    }
    before = now;
  }, 2);
  return { seen: () => stalls.splice(0), stop: () => clearInterval(timer) };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
