/**
 * The circuit breaker of an endpoint. After several consecutive failures no delivery is sent during a backoff. Then a
 * single delivery probes the endpoint. The state is stored in the endpoint's row, so it is shared by all workers and
 * survives a restart. Waiting for the circuit breaker does not count as an attempt.
 */

/** Consecutive failures after which the circuit breaker opens. A receiver that restarts causes fewer. */
const failuresToOpen = 5;

const firstBackoffMs = 1_000;

/**
 * The maximum backoff. It is short compared with the retry schedule, so that a recovered endpoint is detected within a
 * minute.
 */
export const maxBackoffMs = 60_000;

/** Returns the backoff after this many consecutive failures, or null while the circuit breaker is closed. */
export function circuitBreakerBackoffMs(failures: number, random: number): number | null {
  if (failures < failuresToOpen) return null;
  const doubled = firstBackoffMs * 2 ** Math.min(failures - failuresToOpen, 16);
  // Adds jitter of ±20 %, so that endpoints that failed together are not all probed together.
  return Math.round(Math.min(doubled, maxBackoffMs) * (0.8 + 0.4 * random));
}
