import type { TokenSource } from "../vault/card-number.ts";
import { parseJsonObject, textOf } from "./json-object.ts";

/**
 * Returns the identity of an encrypted token of Google Pay (ECv1, ECv2) or Apple Pay (EC_v1, RSA_v1), or null for a text
 * of another form. Only the acquirer can verify the token. The identity is the encrypted part, so that a copy whose JSON
 * is written differently has the same one (developers.google.com/pay/api/web/guides/resources/payment-data-cryptography,
 * developer.apple.com/documentation/passkit/payment-token-format-reference).
 */
export function encryptedTokenId(wallet: TokenSource, token: string): string | null {
  const fields = parseJsonObject(token);
  if (fields === null) return null;
  const encrypted = wallet === "google_pay" ? fields.signedMessage : fields.data;
  const version = textOf(fields, wallet === "google_pay" ? "protocolVersion" : "version");
  const isSigned = typeof fields.signature === "string";
  const isKnown = version !== null && versions[wallet].has(version);
  return typeof encrypted === "string" && encrypted !== "" && isSigned && isKnown
    ? encrypted
    : null;
}

const versions: Readonly<Record<TokenSource, ReadonlySet<string>>> = {
  google_pay: new Set(["ECv1", "ECv2"]),
  apple_pay: new Set(["EC_v1", "RSA_v1"]),
};
