import { maskSecrets } from "../primitives/mask-secrets.ts";

/** What is kept of a body (4 KB). */
export const longestBody = 4_096;

/** Longer than anything that is masked, so that no half of it stays before the cut. */
const beyondTheCut = 256;

const readAtMost = longestBody + beyondTheCut;

/** Fields whose value is a secret whatever it looks like. */
const secretField =
  /("(?:number|card_number|pan|cvc|cvv|security_code|password|secret|client_secret|token|account_number|iban)"\s*:\s*)("(?:[^"\\]|\\.)*"?|\d+)/gi;

/** JSON may spell any letter as `\u0034`, and a secret as well; letters, digits and what groups them are read. */
function withoutEscapes(json: string): string {
  return json.replace(/\\u00([2-7][0-9a-f])/gi, (spelt, code) => {
    const letter = String.fromCharCode(Number.parseInt(code, 16));
    return /[\w -]/.test(letter) ? letter : spelt;
  });
}

/** A body as it may be read by the merchant's whole team, and lie in a backup. */
export function bodyText(text: string): string {
  const masked = maskSecrets(withoutEscapes(text.slice(0, readAtMost)))
    .replace(secretField, '$1"•••"')
    // Postgres keeps no NUL, and it is in no JSON that is one.
    .replaceAll("\0", "");
  // Masked, a text is shorter: where it was cut, its end may still be the half of something.
  const end = text.length > readAtMost ? masked.length - beyondTheCut : masked.length;
  if (end === masked.length && end <= longestBody) return masked;
  return `${masked.slice(0, Math.max(0, Math.min(end, longestBody)))}…`;
}
