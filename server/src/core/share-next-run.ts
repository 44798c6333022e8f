import { setTimeout as sleep } from "node:timers/promises";

/** The maximum pause after a run, and so the maximum time that the pause adds to a caller's wait. */
const maxPauseMs = 1_000;

/**
 * Returns a function that runs `work`, but never twice at the same time for one key. Calls during a run or the pause
 * after it share the next run, which starts after all of them were made, so its result contains every earlier change.
 * The pause is as long as the run, so that repeated runs take about half of the time. It is at most a second, so that
 * callers do not wait longer.
 */
export function shareNextRun<Result>(
  work: (key: string) => Promise<Result>,
): (key: string) => Promise<Result> {
  /**
   * The keys with a run in progress or a pause after it. `next` is the run that follows, or null if no call waits for
   * it.
   */
  const busy = new Map<string, { readonly ended: Promise<void>; next: Promise<Result> | null }>();

  function run(key: string): Promise<Result> {
    const startedAt = performance.now();
    const result = work(key);
    const pause = () => sleep(Math.min(performance.now() - startedAt, maxPauseMs));
    const state = { ended: result.then(pause, pause), next: null };
    busy.set(key, state);
    void state.ended.then(() => {
      if (state.next === null) busy.delete(key);
    });
    return result;
  }

  return (key) => {
    const current = busy.get(key);
    if (!current) return run(key);
    current.next ??= current.ended.then(() => run(key));
    return current.next;
  };
}
