import { createDecipheriv, createECDH, hash } from "node:crypto";

/** The bytes of a P-256 SubjectPublicKeyInfo that precede the uncompressed point. */
export const publicKeyPrefix = Buffer.from(
  "3059301306072a8648ce3d020106082a8648ce3d030107034200",
  "hex",
);
const pointLength = 65;
const tagLength = 16;

/** Every token has its own key, so the initialization vector is zero. */
export const zeroVector = Buffer.alloc(16);

/**
 * Derives the AES-256 key of a token (NIST SP 800-56A, section 5.8.1) from the shared secret and the merchant's
 * identifier.
 */
export function deriveKey(sharedSecret: Buffer, merchantId: string): Buffer {
  const counter = Buffer.from([0, 0, 0, 1]);
  const algorithm = Buffer.from("\x0did-aes256-GCM");
  const partyU = Buffer.from("Apple");
  const partyV = hash("sha256", merchantId, "buffer");
  const input = Buffer.concat([counter, sharedSecret, algorithm, partyU, partyV]);
  return hash("sha256", input, "buffer");
}

/** Returns the hash by which a token names the public key of its recipient. */
export function publicKeyHashOf(point: Buffer): Buffer {
  return hash("sha256", Buffer.concat([publicKeyPrefix, point]), "buffer");
}

export type EncryptedData = {
  readonly data: Buffer;
  readonly ephemeralPublicKey: Buffer;
  readonly publicKeyHash: Buffer;
};

/**
 * Decrypts the data of a token with the key that the token names, one of the recipient's private scalars of P-256.
 * Returns null if the recipient does not have the key, or if the data was encrypted for another merchant identifier.
 */
export function decryptData(
  { data, ephemeralPublicKey, publicKeyHash }: EncryptedData,
  merchantId: string,
  privateKeys: readonly Buffer[],
): Buffer | null {
  const point = pointOf(ephemeralPublicKey);
  if (!point || data.length < tagLength) return null;
  for (const privateKey of privateKeys) {
    const ecdh = createECDH("prime256v1");
    ecdh.setPrivateKey(privateKey);
    if (!publicKeyHashOf(ecdh.getPublicKey()).equals(publicKeyHash)) continue;
    try {
      return decrypt(data, deriveKey(ecdh.computeSecret(point), merchantId));
    } catch {
      // The point is not on the curve, or the authentication tag is wrong.
      return null;
    }
  }
  return null;
}

function decrypt(data: Buffer, key: Buffer): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, zeroVector);
  decipher.setAuthTag(data.subarray(-tagLength));
  return Buffer.concat([decipher.update(data.subarray(0, -tagLength)), decipher.final()]);
}

function pointOf(publicKey: Buffer): Buffer | null {
  const prefix = publicKey.subarray(0, publicKeyPrefix.length);
  const isPoint = publicKey.length === publicKeyPrefix.length + pointLength;
  return isPoint && prefix.equals(publicKeyPrefix)
    ? publicKey.subarray(publicKeyPrefix.length)
    : null;
}
