/**
 * The circuit breaker of an endpoint. After several consecutive failures nothing is sent for a backoff time. Then a
 * single delivery probes the endpoint. The state is in the endpoint's row, so that all workers share it and it
 * survives them. Waiting for the circuit breaker uses up no attempt.
 */

/** Consecutive failures after which the circuit breaker opens. A receiver that restarts causes fewer. */
const failuresToOpen = 5;

const firstBackoffMs = 1_000;

/** Short compared with the retry schedule, so that a recovered endpoint is detected within a minute. */
export const maxBackoffMs = 60_000;

/** Returns the backoff after this many consecutive failures, or null while the circuit breaker is closed. */
export function circuitBreakerBackoffMs(failures: number, random: number): number | null {
  if (failures < failuresToOpen) return null;
  const doubled = firstBackoffMs * 2 ** Math.min(failures - failuresToOpen, 16);
  // ±20 %, so that endpoints that failed together are not all probed together.
  return Math.round(Math.min(doubled, maxBackoffMs) * (0.8 + 0.4 * random));
}
