import { passesLuhn } from "./luhn.ts";

/** Runs of 13 to 19 digits, also with single spaces or dashes between them. */
const cardLike = /(?<![0-9])[0-9](?:[ -]?[0-9]){12,18}(?![0-9])/g;
const secretLike = /\b([sr]k_(?:test|live)_|whsec_|secret_)[A-Za-z0-9+/=_-]{8,}/g;

/** The text without what looks like a card number or a secret: for logs, and for errors that repeat what was sent. */
export function maskSecrets(text: string): string {
  return text
    .replace(secretLike, "$1•••")
    .replace(cardLike, (digits) => (passesLuhn(digits.replace(/[ -]/g, "")) ? "••••" : digits));
}
