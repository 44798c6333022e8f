import { createECDH } from "node:crypto";

/** A key pair of P-256. */
export type KeyPair = {
  /** The private scalar, 32 bytes. */
  readonly privateKey: Buffer;
  /** The public point in the uncompressed form, 65 bytes. */
  readonly publicKey: Buffer;
};

/**
 * Derives a key pair from a pseudorandom function. Calls the function again with the next number in the rare case that
 * the result is not a valid scalar (about one in four billion).
 */
export async function deriveKeyPair(
  random: (attempt: number) => Promise<Buffer> | Buffer,
): Promise<KeyPair> {
  for (let attempt = 0; ; attempt++) {
    const privateKey = await random(attempt);
    const ecdh = createECDH("prime256v1");
    try {
      ecdh.setPrivateKey(privateKey);
    } catch {
      continue;
    }
    return { privateKey, publicKey: ecdh.getPublicKey() };
  }
}
