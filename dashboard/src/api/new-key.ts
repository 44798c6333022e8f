/**
 * Returns a new Idempotency-Key. `crypto.randomUUID` is missing if a dashboard in a local network is opened over plain
 * http.
 */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
