import type { DigitalWallet } from "@florin/contract/payment-method.ts";

/** Returns a function that returns Google Pay and Apple Pay by turns. */
export function alternatingWallets(): () => DigitalWallet {
  let count = 0;
  return () => (count++ % 2 === 0 ? "google_pay" : "apple_pay");
}
