import { createHmac, randomBytes } from "node:crypto";

const nonceLength = 8;
const macLength = 12;

/**
 * Returns a new cryptogram (20 bytes, in base64) of a network token. It consists of a random nonce and a MAC over the
 * token's number and the nonce. The key is public, because it protects only test cards.
 */
export function newCryptogram(number: string): string {
  const nonce = randomBytes(nonceLength);
  return Buffer.concat([nonce, macOf(number, nonce)]).toString("base64");
}

/** Returns whether the simulated device has computed the cryptogram for the number. */
export function isCryptogramOf(number: string, cryptogram: string): boolean {
  const bytes = Buffer.from(cryptogram, "base64");
  const mac = macOf(number, bytes.subarray(0, nonceLength));
  return bytes.subarray(nonceLength).equals(mac);
}

function macOf(number: string, nonce: Buffer): Buffer {
  const mac = createHmac("sha256", "the simulated device").update(number).update(nonce).digest();
  return mac.subarray(0, macLength);
}
