/** The encoding of everything that goes through the browser: base64url, sent without padding (EMV 3DS 2.2.0). */
export function encodeBase64url(text: string): string {
  return Buffer.from(text, "utf8").toString("base64url");
}

/**
 * Some banks pad, so padding is accepted; anything else that is not of the alphabet is refused, and not
 * skipped as Node's own reader would do. Null when it cannot be read.
 */
export function decodeBase64url(text: string): string | null {
  const bare = text.replace(/={1,2}$/, "");
  if (bare === "" || !/^[A-Za-z0-9_-]+$/.test(bare) || bare.length % 4 === 1) return null;
  return Buffer.from(bare, "base64url").toString("utf8");
}
