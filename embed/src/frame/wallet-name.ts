/** The brands of the wallets, which are not translated. */
const names: Readonly<Record<string, string>> = {
  apple_pay: "Apple Pay",
  google_pay: "Google Pay",
};

export function walletName(type: string): string {
  return names[type] ?? type;
}
