import { circuitBreakerBackoffMs, maxBackoffMs } from "../../core/circuit-breaker.ts";

/**
 * The circuit breaker of a connection, in the memory of one process. It opens after several consecutive requests
 * without a response. Charges then go to another connection or fail immediately, instead of waiting for the timeout.
 */
export type Circuit = {
  /** Consecutive requests without a response. */
  readonly failures: number;
  /** The time until which no request may be sent. Null while the circuit is closed. */
  readonly openUntil: Date | null;
};

export const closedCircuit: Circuit = { failures: 0, openUntil: null };

/** The duration of a probe of an open circuit, during which all other requests are rejected. */
const probeMs = 20_000;

export function isOpen({ openUntil }: Circuit, now: Date): boolean {
  if (openUntil === null) return false;
  const remainingMs = openUntil.getTime() - now.getTime();
  return remainingMs > 0 && remainingMs <= maxBackoffMs;
}

/**
 * Returns the circuit after it has admitted a request, or null if the circuit is open. After the backoff, an open
 * circuit admits one request as a probe.
 */
export function admitted(circuit: Circuit, now: Date): Circuit | null {
  if (isOpen(circuit, now)) return null;
  if (circuit.openUntil === null) return circuit;
  return { ...circuit, openUntil: new Date(now.getTime() + probeMs) };
}

/**
 * Returns the circuit after a probe whose outcome does not show whether the acquirer works. The circuit is not closed,
 * and admits another probe immediately.
 */
export function afterInconclusiveProbe(circuit: Circuit, now: Date): Circuit {
  return { ...circuit, openUntil: now };
}

/** Returns the circuit after a request that ended without a response. */
export function afterFailure({ failures }: Circuit, now: Date, random: number): Circuit {
  const backoffMs = circuitBreakerBackoffMs(failures + 1, random);
  const openUntil = backoffMs === null ? null : new Date(now.getTime() + backoffMs);
  return { failures: failures + 1, openUntil };
}
