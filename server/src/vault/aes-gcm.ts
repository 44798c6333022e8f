import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/**
 * AES-256-GCM (NIST SP 800-38D) with `boundTo` as additional authenticated data. Decryption requires the unaltered
 * bytes, the same key and the same `boundTo`.
 */
const algorithm = "aes-256-gcm";
/**
 * The recommended nonce size. NIST limits a key with random nonces to 2^32 messages. No key comes close to this limit.
 */
const nonceBytes = 12;
const tagBytes = 16;

/** Returns `nonce ‖ tag ‖ ciphertext`. */
export function encrypt(key: Buffer, plain: Buffer, boundTo: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(boundTo);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** Returns the plaintext. Throws `DecryptionFailed` if the bytes, the key or `boundTo` differ. */
export function decrypt(key: Buffer, box: Buffer, boundTo: Buffer): Buffer {
  const nonce = box.subarray(0, nonceBytes);
  const tag = box.subarray(nonceBytes, nonceBytes + tagBytes);
  const ciphertext = box.subarray(nonceBytes + tagBytes);
  if (tag.length !== tagBytes) throw new DecryptionFailed();
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(boundTo).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    throw new DecryptionFailed();
  }
}

/** Thrown if encrypted bytes were altered, or belong to another account, ID, purpose, mode or key. */
export class DecryptionFailed extends Error {
  override name = "DecryptionFailed";
  constructor() {
    super("The ciphertext cannot be decrypted with this key and encryption context");
  }
}
