import { maskSecrets } from "../primitives/mask-secrets.ts";

/** What is kept of a body (4 KB). */
export const longestBody = 4_096;

/** Longer than anything that is masked, so that no half of it stays before the cut. */
const beyondTheCut = 256;

export const readAtMost = longestBody + beyondTheCut;

/** Fields whose value is a secret whatever it looks like. */
const secretField =
  /("(?:number|card_number|pan|cvc|cvv|security_code|password|secret|client_secret|token|account_number|iban)"\s*:\s*)("(?:[^"\\]|\\.)*"?|\d+)/gi;

/** A body as it may be read by the merchant's whole team, and lie in a backup. */
export function bodyText(text: string): string {
  const masked = maskSecrets(text.slice(0, readAtMost))
    .replace(secretField, '$1"•••"')
    // Postgres keeps no NUL, and it is in no JSON that is one.
    .replaceAll("\0", "");
  if (masked.length <= longestBody) return masked;
  return `${masked.slice(0, longestBody)}…`;
}
