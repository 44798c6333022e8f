/**
 * Returns a new Idempotency-Key. Does not use `crypto.randomUUID`, which is missing in a dashboard that is opened over
 * plain HTTP on a local network.
 */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
