/**
 * Decodes base64 with padding. Returns null unless the value is a text that is the canonical encoding of the result.
 * `Buffer` ignores invalid characters and unused bits, so that several texts would decode to the same bytes.
 */
export function decodeBase64(value: unknown): Buffer | null {
  if (typeof value !== "string") return null;
  const bytes = Buffer.from(value, "base64");
  return bytes.toString("base64") === value ? bytes : null;
}
