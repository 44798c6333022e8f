/**
 * The breaker of an endpoint: after some failures in a row nothing is sent for a while, and then one delivery tries
 * whether it works again. It stands in the endpoint's row, so all workers share it and it outlives them. A delivery
 * that waits for it uses up no attempt.
 */

/** Failures in a row after which the breaker opens. A receiver that restarts loses fewer. */
const failuresToOpen = 5;

const firstPauseMs = 1_000;

/** Short beside the retry schedule, so that an endpoint that is back is noticed within a minute. */
export const longestPauseMs = 60_000;

/** For how long nothing is sent after this many failures in a row; null while the breaker is closed. */
export function pauseMs(failures: number, chance: number): number | null {
  if (failures < failuresToOpen) return null;
  const doubled = firstPauseMs * 2 ** Math.min(failures - failuresToOpen, 16);
  // ±20 %, so that endpoints which failed together are not all tried together.
  return Math.round(Math.min(doubled, longestPauseMs) * (0.8 + 0.4 * chance));
}
