import { walletNames } from "@florin/contract/wallet-names.ts";

const names: Readonly<Record<string, string>> = walletNames;

export function walletName(type: string): string {
  return names[type] ?? type;
}
