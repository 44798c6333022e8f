import { createHmac } from "node:crypto";

/**
 * The 20 bytes by which the simulated bank knows at authorisation that it was itself who authenticated this payment.
 * Its key is no secret worth keeping: it guards test cards.
 */
export function cryptogramOf(dsTransactionId: string): string {
  return createHmac("sha1", "the simulated bank")
    .update(dsTransactionId.toLowerCase())
    .digest("base64");
}
