/** Returns an electronic commerce indicator with two digits. Wallets also write it with one. Null for other values. */
export function readEci(value: unknown): string | null {
  return typeof value === "string" && /^[0-9]{1,2}$/.test(value) ? value.padStart(2, "0") : null;
}
