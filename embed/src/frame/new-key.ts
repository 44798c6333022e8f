/**
 * An Idempotency-Key that nobody else draws. `crypto.randomUUID` would read nicer, but browsers keep it from pages without
 * a secure context: a shop on http, or our own page by a name on the local network.
 */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
