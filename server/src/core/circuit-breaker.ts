/**
 * The backoff of a circuit breaker. After several consecutive failures of another service, the server sends no request
 * to it during the backoff. Then a single request probes it.
 */

/**
 * Consecutive failures after which the circuit breaker opens. A restart of the other service causes fewer consecutive
 * failures.
 */
const failuresToOpen = 5;

const firstBackoffMs = 1_000;

/**
 * The maximum backoff. It is short compared with the retry schedule of webhooks, so that a recovered endpoint is
 * detected within a minute.
 */
export const maxBackoffMs = 60_000;

/** Returns the backoff after this many consecutive failures, or null while the circuit breaker is closed. */
export function circuitBreakerBackoffMs(failures: number, random: number): number | null {
  if (failures < failuresToOpen) return null;
  const doubled = firstBackoffMs * 2 ** Math.min(failures - failuresToOpen, 16);
  // Adds jitter of ±20%, so that endpoints that failed at the same time are probed at different times.
  return Math.round(Math.min(doubled, maxBackoffMs) * (0.8 + 0.4 * random));
}
