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
 * The limit of the backoff before jitter. It is short compared with the retry schedule of webhooks, so that a recovered
 * endpoint is detected after little more than a minute.
 */
const maxBackoffBeforeJitterMs = 60_000;

/** The jitter as a share of the backoff. Endpoints that failed at the same time are probed at different times. */
const jitter = 0.2;

/**
 * The maximum backoff, including jitter. A backoff that ends later than this from now began while the clock was ahead,
 * and counts as ended. Otherwise, every circuit breaker that opened while the clock was ahead would stay open until the
 * clock reached the end of its backoff.
 */
export const maxBackoffMs = maxBackoffBeforeJitterMs * (1 + jitter);

/** Returns the backoff after this many consecutive failures, or null while the circuit breaker is closed. */
export function circuitBreakerBackoffMs(failures: number, random: number): number | null {
  if (failures < failuresToOpen) return null;
  const doubled = firstBackoffMs * 2 ** Math.min(failures - failuresToOpen, 16);
  return Math.round(
    Math.min(doubled, maxBackoffBeforeJitterMs) * (1 - jitter + 2 * jitter * random),
  );
}
