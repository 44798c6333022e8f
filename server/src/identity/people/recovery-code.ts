import { randomInt } from "node:crypto";

/** Without letters that are easily confused. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const groups = 3;
const lettersInGroup = 4;

/** Ten codes fit on a card in a wallet. */
export const recoveryCodesAtOnce = 10;

/** Returns twelve letters of base32: 60 random bits, too many to guess under the sign-in rate limits. */
export function newRecoveryCode(): string {
  return Array.from({ length: groups }, () =>
    Array.from({ length: lettersInGroup }, () => alphabet[randomInt(alphabet.length)]).join(""),
  ).join("-");
}

/** Returns the normal form of a typed code, or null when it cannot be one. */
export function plainRecoveryCode(typed: string): string | null {
  const code = typed.toLowerCase().replace(/[\s-]/g, "").replace(/o/g, "0").replace(/[il]/g, "1");
  return /^[0-9a-hjkmnp-tv-z]{12}$/.test(code) ? code : null;
}
