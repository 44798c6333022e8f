import { codeNames } from "../../core/card-data.ts";
import { maskSecrets } from "../../core/mask-secrets.ts";

/** The maximum stored size of a body (4 KB). */
export const maxBodyLength = 4_096;

/**
 * The number of characters that are dropped before a cut. No secret is longer than this, so a secret that the cut
 * divides is dropped as a whole.
 */
const beyondTheCut = 256;

const readAtMost = maxBodyLength + beyondTheCut;

const secretNames = `number|card_number|pan|${codeNames}|password|secret|client_secret|token|account_number|iban`;

/** Matches the fields whose value is always masked. */
const secretField = new RegExp(
  `("(?:${secretNames})"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)*"?|\\d+)`,
  "gi",
);

/** Decodes `\u0034`-style escapes of letters, digits and separators, in which JSON may spell a secret. */
function withoutEscapes(json: string): string {
  return json.replace(/\\u00([2-7][0-9a-f])/gi, (spelt, code) => {
    const letter = String.fromCharCode(Number.parseInt(code, 16));
    return /[\w -]/.test(letter) ? letter : spelt;
  });
}

/** Returns a body that is safe to show to the merchant's whole team and to store in backups. */
export function maskBody(text: string): string {
  const masked = maskSecrets(withoutEscapes(text.slice(0, readAtMost)))
    .replace(secretField, '$1"•••"')
    // Removes NUL, which PostgreSQL cannot store and valid JSON does not contain.
    .replaceAll("\0", "");
  // A secret that the cut divides is not masked, so the characters before the cut are dropped.
  const end = text.length > readAtMost ? masked.length - beyondTheCut : masked.length;
  if (end === masked.length && end <= maxBodyLength) return masked;
  return `${masked.slice(0, Math.max(0, Math.min(end, maxBodyLength)))}…`;
}
