/** Encodes a message for transport through the browser: base64url without padding (EMV 3DS 2.2.0). */
export function encodeBase64url(text: string): string {
  return Buffer.from(text, "utf8").toString("base64url");
}

/**
 * Decodes base64url. Accepts padding, because some ACSs send it. Returns null for any other invalid character, which
 * Node's decoder would ignore.
 */
export function decodeBase64url(text: string): string | null {
  const bare = text.replace(/={1,2}$/, "");
  if (bare === "" || !/^[A-Za-z0-9_-]+$/.test(bare) || bare.length % 4 === 1) return null;
  return Buffer.from(bare, "base64url").toString("utf8");
}
