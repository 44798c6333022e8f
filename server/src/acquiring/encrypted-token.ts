import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { parseToken as parseAppleToken } from "../vault/wallets/apple-pay/parse-token.ts";
import { decodeBase64 } from "../vault/wallets/decode-base64.ts";
import { readJsonObject } from "../vault/wallets/read-json-object.ts";
import { isJsonObject, type JsonObject } from "./json-object.ts";

/** A wallet's token that the acquirer accepts. */
export type ReadToken = {
  /** The identity of the token, which is the same for each copy that the acquirer could decrypt. */
  readonly id: string;
  /** The token as it is sent to the acquirer. */
  readonly text: string;
};

/**
 * Reads an encrypted token of Google Pay (ECv2 or ECv1) or Apple Pay (EC_v1). Returns null for a text of another form.
 *
 * Only the acquirer can verify the token. Anyone with the secret of a session can send texts that look like one. The
 * token must therefore have exactly the documented members, and the text that is sent is built from them. Its depth and
 * size are bounded, so it can always be serialized.
 */
export function readEncryptedToken(wallet: DigitalWallet, text: string): ReadToken | null {
  return wallet === "google_pay" ? readGoogleToken(text) : readAppleToken(text);
}

/**
 * The maximum length of a token in characters. Google Pay tokens have about 1,500, and Apple Pay tokens about 4,000.
 */
const maxLength = 10_000;
/** Google signs an intermediate key with one root key, or with two while it replaces the root key. */
const maxSignatures = 4;
/** The length of an uncompressed point of P-256. */
const pointLength = 65;
/** The length of the tag, which is an HMAC-SHA-256. */
const tagLength = 32;

/**
 * Reads a Google Pay token. Google encrypts tokens for gateways with ECv2 or, for older gateways, with ECv1, which has
 * no intermediate key (developers.google.com/pay/api/web/guides/resources/payment-data-cryptography). Checkout.com
 * documents ECv1 (schema `GooglePayTokenRequest`). The identity is the encrypted message, which cannot be decrypted
 * after any change.
 */
function readGoogleToken(text: string): ReadToken | null {
  if (text.length > maxLength) return null;
  const common = ["protocolVersion", "signature", "signedMessage"] as const;
  const newer = readJsonObject(text, [...common, "intermediateSigningKey"]);
  const token = newer ?? readJsonObject(text, common);
  if (token === null || token.protocolVersion !== (newer ? "ECv2" : "ECv1")) return null;
  const { protocolVersion, signature, signedMessage } = token;
  const intermediateSigningKey = newer && readSigningKey(newer.intermediateSigningKey);
  const encrypted = readMessage(signedMessage);
  if (encrypted === null || !isBase64(signature) || (newer && !intermediateSigningKey)) return null;
  return {
    id: `google_pay ${encrypted}`,
    text: JSON.stringify({
      protocolVersion,
      signature,
      ...(intermediateSigningKey && { intermediateSigningKey }),
      signedMessage,
    }),
  };
}

/** Returns the encrypted message of a signed text, which is passed on unchanged. */
function readMessage(text: unknown): string | null {
  if (typeof text !== "string") return null;
  const message = readJsonObject(text, ["encryptedMessage", "ephemeralPublicKey", "tag"]);
  if (message === null) return null;
  const { encryptedMessage, ephemeralPublicKey, tag } = message;
  const isMessage =
    isBase64(encryptedMessage) &&
    decodeBase64(ephemeralPublicKey)?.length === pointLength &&
    decodeBase64(tag)?.length === tagLength;
  return isMessage ? encryptedMessage : null;
}

function readSigningKey(value: unknown): JsonObject | null {
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return null;
  const { signedKey, signatures } = value;
  if (typeof signedKey !== "string" || !Array.isArray(signatures)) return null;
  const key = readJsonObject(signedKey, ["keyValue", "keyExpiration"]);
  const isKey =
    key !== null &&
    isBase64(key.keyValue) &&
    typeof key.keyExpiration === "string" &&
    /^\d{1,16}$/.test(key.keyExpiration);
  const areSignatures =
    signatures.length > 0 && signatures.length <= maxSignatures && signatures.every(isBase64);
  return isKey && areSignatures ? { signedKey, signatures } : null;
}

/**
 * Reads an Apple Pay token (developer.apple.com/documentation/passkit/payment-token-format-reference). The identity is
 * the encrypted data, which AES-GCM authenticates. It is not the transaction ID, because an acquirer that does not
 * verify the signature would also accept a copy of the token with another transaction ID.
 */
function readAppleToken(text: string): ReadToken | null {
  const parsed = parseAppleToken(text);
  if (parsed.kind !== "token") return null;
  const { token } = parsed;
  const { applicationData } = token;
  const parts = [token.data, token.signature, token.ephemeralPublicKey];
  if (parts.some(({ length }) => length === 0)) return null;
  const data = token.data.toString("base64");
  return {
    id: `apple_pay ${data}`,
    text: JSON.stringify({
      version: "EC_v1",
      data,
      signature: token.signature.toString("base64"),
      header: {
        ephemeralPublicKey: token.ephemeralPublicKey.toString("base64"),
        publicKeyHash: token.publicKeyHash.toString("base64"),
        transactionId: token.transactionId.toString("hex"),
        ...(applicationData.length > 0 && { applicationData: applicationData.toString("hex") }),
      },
    }),
  };
}

/** Returns whether the value is a non-empty text in canonical base64. */
function isBase64(value: unknown): value is string {
  return value !== "" && decodeBase64(value) !== null;
}
