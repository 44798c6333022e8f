import { createHmac } from "node:crypto";

/** The values from which the idempotency keys of a connection's requests are derived. */
export type KeyedConnection = {
  /** Our identifier of the connection. */
  readonly id: string;
  /**
   * The secret for idempotency keys. An attacker who knows it can compute the key of a request, and use the key to
   * block the request or to read its response.
   */
  readonly idempotencySecret: Uint8Array;
};

/**
 * Returns the idempotency key of a request. A repeated call returns the same key, even after a restart. The key cannot
 * be guessed from the reference, which merchants know. The key has 43 characters. Adyen allows 64
 * (docs.adyen.com/development-resources/api-idempotency), and Stripe allows 255
 * (docs.stripe.com/api/idempotent_requests). Checkout.com documents no limit.
 */
export function idempotencyKey(connection: KeyedConnection, kind: string, id: string): string {
  return createHmac("sha256", connection.idempotencySecret)
    .update(JSON.stringify([connection.id, kind, id]))
    .digest("base64url");
}
