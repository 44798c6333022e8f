/**
 * Returns an electronic commerce indicator as two digits. Wallets may write it as one digit. Returns null for any other
 * value.
 */
export function readEci(value: unknown): string | null {
  return typeof value === "string" && /^[0-9]{1,2}$/.test(value) ? value.padStart(2, "0") : null;
}
