import { maskCardNumbers } from "./card-number-in-text.ts";

const secretLike = /\b([sr]k_(?:test|live)_|whsec_|secret_)[A-Za-z0-9+/=_-]{8,}/g;

/** Returns the text without card numbers and secrets, for logs and for errors that repeat text of the request. */
export function maskSecrets(text: string): string {
  return maskCardNumbers(text.replace(secretLike, "$1•••"));
}
