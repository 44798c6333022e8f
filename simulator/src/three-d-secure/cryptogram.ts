import { createHmac } from "node:crypto";

/**
 * Returns the cryptogram (20 bytes) by which the simulated issuer verifies an authentication when it authorizes the
 * payment. The key is public, because it protects only test cards.
 */
export function cryptogramOf(dsTransactionId: string): string {
  return createHmac("sha1", "the simulated bank")
    .update(dsTransactionId.toLowerCase())
    .digest("base64");
}
