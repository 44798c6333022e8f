import type { WalletType } from "./payment-method.ts";

/**
 * The names of the wallets, which are not translated. They are not in `payment-method.ts`, so that a browser can load
 * them without the schemas in that file.
 */
export const walletNames: Readonly<Record<WalletType, string>> = {
  test_wallet: "Test wallet",
  google_pay: "Google Pay",
  apple_pay: "Apple Pay",
};
