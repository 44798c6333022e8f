import { decodeBase64 } from "../decode-base64.ts";
import { isObjectWith, readJsonObject } from "../read-json-object.ts";

/**
 * A payment token of version EC_v1 as received, with its parts decoded. Nothing in it is verified
 * (https://developer.apple.com/documentation/passkit/payment-token-format-reference).
 */
export type EcV1Token = {
  /** The ciphertext, followed by the authentication tag. */
  readonly data: Buffer;
  /** A detached CMS signature over the other parts, in BER. */
  readonly signature: Buffer;
  /** A SubjectPublicKeyInfo of P-256. */
  readonly ephemeralPublicKey: Buffer;
  /** The SHA-256 of the recipient's public key. */
  readonly publicKeyHash: Buffer;
  readonly transactionId: Buffer;
  /** The SHA-256 of the data that the merchant added to the request. Empty if there was none. */
  readonly applicationData: Buffer;
};

/** The maximum length of a token in characters. Tokens have about 4,000. */
const maxTokenLength = 10_000;
const hashLength = 32;

export type ParsedToken =
  | { readonly kind: "token"; readonly token: EcV1Token }
  | { readonly kind: "malformed" | "unsupported_version" };

const malformed: ParsedToken = { kind: "malformed" };

/** Parses a token. Unknown and missing members are errors, so that every part of the token is verified. */
export function parseToken(text: string): ParsedToken {
  if (text.length > maxTokenLength) return malformed;
  const outer = readJsonObject(text, ["version", "data", "signature", "header"]);
  if (!outer) return malformed;
  if (outer.version !== "EC_v1") return { kind: "unsupported_version" };
  const header = readHeader(outer.header);
  const data = decodeBase64(outer.data);
  const signature = decodeBase64(outer.signature);
  return header && data && signature
    ? { kind: "token", token: { data, signature, ...header } }
    : malformed;
}

const headerNames = ["ephemeralPublicKey", "publicKeyHash", "transactionId"] as const;

function readHeader(value: unknown): Omit<EcV1Token, "data" | "signature"> | null {
  const whole = isObjectWith(value, [...headerNames, "applicationData"]) ? value : null;
  const header = whole ?? (isObjectWith(value, headerNames) ? value : null);
  if (!header) return null;
  const ephemeralPublicKey = decodeBase64(header.ephemeralPublicKey);
  const publicKeyHash = decodeBase64(header.publicKeyHash);
  const transactionId = readHex(header.transactionId);
  const applicationData = whole ? readHex(whole.applicationData) : Buffer.alloc(0);
  if (!ephemeralPublicKey || publicKeyHash?.length !== hashLength) return null;
  if (!transactionId || !applicationData) return null;
  return { ephemeralPublicKey, publicKeyHash, transactionId, applicationData };
}

/** Decodes 32 bytes in lower-case hex. */
function readHex(value: unknown): Buffer | null {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value)
    ? Buffer.from(value, "hex")
    : null;
}
