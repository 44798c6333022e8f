/**
 * Returns a unique Idempotency-Key. `crypto.randomUUID` is missing in pages without a secure context: a shop on http,
 * or our own page under a name on the local network.
 */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
