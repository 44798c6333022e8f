import type { WalletType } from "./payment-method.ts";

/**
 * The names of the wallets, which are not translated. Apart from `payment-method.ts`, so that browsers load no schemas.
 */
export const walletNames: Readonly<Record<WalletType, string>> = {
  test_wallet: "Test wallet",
  google_pay: "Google Pay",
  apple_pay: "Apple Pay",
};
