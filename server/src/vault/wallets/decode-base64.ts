/**
 * Decodes base64 with padding. Returns null unless the text is the canonical encoding of the result. `Buffer` ignores
 * invalid characters and unused bits, so that several texts would decode to the same bytes.
 */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : null;
}
