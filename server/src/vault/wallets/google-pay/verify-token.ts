import { type KeyObject, verify } from "node:crypto";
import { readJsonObject } from "../read-json-object.ts";
import type { TokenRejection } from "../wallet-token.ts";
import type { EcV2Token } from "./parse-token.ts";
import { type RootKey, readMilliseconds, readPublicKey } from "./root-keys.ts";

const senderId = "Google";
const protocolVersion = "ECv2";

/**
 * Verifies the signatures of a token: a root key has signed the intermediate key, and the intermediate key has signed
 * the message for this recipient. Returns the reason if the token must be rejected, or null.
 *
 * `recipientId` is part of the signed text, so a token for another merchant has an invalid signature.
 */
export function rejectSignatures(
  token: EcV2Token,
  rootKeys: readonly RootKey[],
  recipientId: string,
  now: Date,
): TokenRejection | null {
  const signedKey = signedBytes(senderId, protocolVersion, token.signedKey);
  const isTrusted = rootKeys
    .filter(({ expiresAt }) => expiresAt > now)
    .some(({ key }) =>
      token.keySignatures.some((signature) => isSigned(signedKey, key, signature)),
    );
  if (!isTrusted) return "untrusted_signing_key";

  const signing = readSigningKey(token.signedKey);
  if (!signing) return "malformed";
  if (signing.expiresAt <= now) return "expired_signing_key";

  const message = signedBytes(senderId, recipientId, protocolVersion, token.signedMessage);
  return isSigned(message, signing.key, token.signature) ? null : "invalid_signature";
}

/**
 * Returns the bytes that are signed: each part with its length in bytes, as a 32-bit little-endian number. The lengths
 * prevent text from being moved from one part to the next.
 */
export function signedBytes(...parts: readonly string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    }),
  );
}

function isSigned(bytes: Buffer, key: KeyObject, signature: Buffer): boolean {
  return verify("sha256", bytes, key, signature);
}

function readSigningKey(text: string): { key: KeyObject; expiresAt: Date } | null {
  const object = readJsonObject(text, ["keyValue", "keyExpiration"]);
  const key = readPublicKey(object?.keyValue);
  const expiresAt = readMilliseconds(object?.keyExpiration);
  return key && expiresAt && { key, expiresAt };
}
