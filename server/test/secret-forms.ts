/**
 * Returns the texts in which a secret may be stored: as it is, as hexadecimal digits, and as base64. A secret inside a
 * longer text has another base64 form at each of the three alignments, so all three are returned, without the
 * characters that depend on the surrounding text.
 */
export function formsOf(secret: string | Buffer): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].map((alignment) => base64At(alignment, bytes));
  const base64url = base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  const plain = bytes.toString("latin1");
  return [...new Set([plain, hex, hex.toUpperCase(), ...base64, ...base64url])];
}

function base64At(alignment: number, bytes: Buffer): string {
  const encoded = Buffer.concat([Buffer.alloc(alignment), bytes]).toString("base64");
  const first = Math.ceil((alignment * 8) / 6);
  const end = Math.floor(((alignment + bytes.length) * 8) / 6);
  return encoded.slice(first, end);
}

/**
 * Returns the forms of the secret in rows that Postgres returns as text. Postgres returns `bytea` as hexadecimal
 * digits.
 */
export function formsInRows(secret: string | Buffer): string[] {
  const forms = formsOf(secret);
  return [
    ...new Set([...forms, ...forms.map((form) => Buffer.from(form, "latin1").toString("hex"))]),
  ];
}
