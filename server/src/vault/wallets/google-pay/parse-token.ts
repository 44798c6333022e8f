import { decodeBase64 } from "../decode-base64.ts";
import { isObjectWith, readJsonObject } from "../read-json-object.ts";

/**
 * An ECv2 token as received, with its signatures decoded. Nothing in it is verified
 * (https://developers.google.com/pay/api/web/guides/resources/payment-data-cryptography).
 */
export type EcV2Token = {
  /** The signature of the intermediate key over the message. */
  readonly signature: Buffer;
  /** A JSON text with the intermediate key and its expiry, which the root key has signed. */
  readonly signedKey: string;
  readonly keySignatures: readonly Buffer[];
  /** A JSON text with the encrypted message, which the intermediate key has signed. */
  readonly signedMessage: string;
};

/** The maximum length of a token in characters. Tokens have about 1,500. */
const maxTokenLength = 10_000;
/**
 * The maximum number of signatures of an intermediate key. Google signs with one root key, or with two while it
 * replaces the root key.
 */
const maxKeySignatures = 4;

export type ParsedToken =
  | { readonly kind: "token"; readonly token: EcV2Token }
  | { readonly kind: "malformed" | "unsupported_version" };

const malformed: ParsedToken = { kind: "malformed" };

/** Parses an ECv2 token. Unknown and missing members are errors, so that every part of the token is verified. */
export function parseToken(text: string): ParsedToken {
  if (text.length > maxTokenLength) return malformed;
  const outer = readJsonObject(text, [
    "protocolVersion",
    "signature",
    "intermediateSigningKey",
    "signedMessage",
  ]);
  if (!outer) return hasOtherVersion(text) ? { kind: "unsupported_version" } : malformed;
  const { protocolVersion, signature, intermediateSigningKey, signedMessage } = outer;
  if (protocolVersion !== "ECv2") return { kind: "unsupported_version" };
  if (!isObjectWith(intermediateSigningKey, ["signedKey", "signatures"])) return malformed;
  const { signedKey, signatures } = intermediateSigningKey;
  const keySignatures = readSignatures(signatures);
  const decoded = decodeBase64(signature);
  if (!decoded || !keySignatures) return malformed;
  if (typeof signedKey !== "string" || typeof signedMessage !== "string") return malformed;
  return { kind: "token", token: { signature: decoded, signedKey, keySignatures, signedMessage } };
}

function readSignatures(value: unknown): Buffer[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxKeySignatures) return null;
  const decoded = value.map(decodeBase64);
  return decoded.every((signature) => signature !== null) ? decoded : null;
}

/** Returns whether the text is a token of another protocol version, which has other members. */
function hasOtherVersion(text: string): boolean {
  const older = readJsonObject(text, ["protocolVersion", "signature", "signedMessage"]);
  return older !== null && older.protocolVersion !== "ECv2";
}
