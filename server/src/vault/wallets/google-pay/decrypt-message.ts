import { createDecipheriv, createECDH, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { decodeBase64 } from "../decode-base64.ts";
import { readJsonObject } from "../read-json-object.ts";

/** The length of an uncompressed point of P-256: 0x04 and two coordinates of 32 bytes. */
const pointLength = 65;
const tagLength = 32;

/**
 * The keys of one message: AES-256 in counter mode, and HMAC-SHA-256 over the ciphertext. ECv2 derives both with HKDF
 * from the ephemeral public key and the shared secret.
 */
export function deriveMessageKeys(ephemeralPublicKey: Buffer, sharedSecret: Buffer) {
  const secret = Buffer.concat([ephemeralPublicKey, sharedSecret]);
  const keys = Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(32), "Google", 64));
  return { encryption: keys.subarray(0, 32), mac: keys.subarray(32) };
}

/** Every message has its own keys, so the initial counter is zero. */
export const zeroCounter = Buffer.alloc(16);

export type DecryptedMessage =
  | { readonly kind: "message"; readonly plain: Buffer }
  | { readonly kind: "malformed" | "unknown_recipient_key" };

/**
 * Decrypts a signed message with the first of the recipient's keys whose MAC is correct. The keys are the private
 * scalars of P-256. After the recipient has replaced its key, the list also contains the previous one for some time.
 */
export function decryptMessage(
  signedMessage: string,
  privateKeys: readonly Buffer[],
): DecryptedMessage {
  const message = readMessage(signedMessage);
  if (!message) return { kind: "malformed" };
  for (const privateKey of privateKeys) {
    const sharedSecret = agree(privateKey, message.ephemeralPublicKey);
    if (!sharedSecret) return { kind: "malformed" };
    const keys = deriveMessageKeys(message.ephemeralPublicKey, sharedSecret);
    const tag = createHmac("sha256", keys.mac).update(message.encrypted).digest();
    if (!timingSafeEqual(tag, message.tag)) continue;
    const decipher = createDecipheriv("aes-256-ctr", keys.encryption, zeroCounter);
    const plain = Buffer.concat([decipher.update(message.encrypted), decipher.final()]);
    return { kind: "message", plain };
  }
  return { kind: "unknown_recipient_key" };
}

function readMessage(text: string) {
  const object = readJsonObject(text, ["encryptedMessage", "ephemeralPublicKey", "tag"]);
  if (!object) return null;
  const encrypted = decodeBase64(object.encryptedMessage);
  const point = decodeBase64(object.ephemeralPublicKey);
  const mac = decodeBase64(object.tag);
  if (!encrypted || point?.length !== pointLength || mac?.length !== tagLength) return null;
  return { encrypted, ephemeralPublicKey: point, tag: mac };
}

/** Returns the shared secret of ECDH. Returns null if the public key is not a point of the curve. */
function agree(privateKey: Buffer, publicKey: Buffer): Buffer | null {
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(privateKey);
  try {
    return ecdh.computeSecret(publicKey);
  } catch {
    return null;
  }
}
