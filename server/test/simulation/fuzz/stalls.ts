/** A time in which the event loop took no turn, and the CPU time that its thread used in it. */
export type Stall = { readonly endedAt: number; readonly gapMs: number; readonly cpuMs: number };

/** The longest time that one turn of the event loop may compute. */
export const maxTurnMs = 100;

/**
 * Measures how long the event loop computes without a pause. On an overloaded machine a turn can take long without
 * computing, so only the CPU time of this thread counts.
 */
export function watchStalls(): { seen(): readonly Stall[]; stop(): void } {
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
