import { codeNames } from "./card-data.ts";
import { maskCardNumbers } from "./card-number-in-text.ts";

const secretLike = /\b([sr]k_(?:test|live)_|whsec_|secret_)[A-Za-z0-9+/=_-]{8,}/g;

/**
 * Matches a security code and its member name in JSON, including JSON that is nested in a JSON string. Takes linear
 * time for two reasons. A match can begin only at the first of several backslashes. The white space after the colon is
 * matched in a lookahead, and the engine never backtracks into a lookahead.
 */
const securityCode = new RegExp(
  `((?<!\\\\)\\\\*"(?:${codeNames})\\\\*"\\s*:(?=(\\s*))\\2)(\\\\*")?\\s*[0-9]{3,4}\\s*(?![0-9])(?:\\\\*")?`,
  "gi",
);

/**
 * Returns the text without card numbers, security codes and secrets, for logs and for errors that repeat text from the
 * request.
 */
export function maskSecrets(text: string): string {
  const masked = text
    .replace(secretLike, "$1•••")
    .replace(securityCode, (_, name: string, _space, quote = '"') => `${name}${quote}•••${quote}`);
  return maskCardNumbers(masked);
}
