import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** AES-256-GCM (NIST SP 800-38D): the box opens only whole, under the same key and for the same `boundTo`. */
const algorithm = "aes-256-gcm";
/** The recommended nonce, drawn at random; no key here seals anywhere near the 2^32 boxes that would allow. */
const nonceBytes = 12;
const tagBytes = 16;

/** `nonce ‖ tag ‖ ciphertext` */
export function encrypt(key: Buffer, plain: Buffer, boundTo: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(boundTo);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** Throws when the box, the key or what it is bound to is another, and says no more than that. */
export function decrypt(key: Buffer, box: Buffer, boundTo: Buffer): Buffer {
  const nonce = box.subarray(0, nonceBytes);
  const tag = box.subarray(nonceBytes, nonceBytes + tagBytes);
  const ciphertext = box.subarray(nonceBytes + tagBytes);
  if (tag.length !== tagBytes) throw new SealBroken();
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(boundTo).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    throw new SealBroken();
  }
}

/** Sealed bytes were altered, or belong to another account, id, purpose, world or key. */
export class SealBroken extends Error {
  override name = "SealBroken";
  constructor() {
    super("Sealed data does not open under the key and the owner it was asked for");
  }
}
