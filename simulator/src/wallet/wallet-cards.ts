import { findTestCard, type TestCard } from "@florin/contract/test-cards.ts";
import { testCardExpiry } from "@florin/server/acquiring/test-card-credentials.ts";
import { eciOf } from "@florin/server/acquiring/three-d-secure/eci.ts";
import type { TestWalletCard } from "@florin/server/vault/wallets/wallets.ts";
import { newCryptogram } from "./token-cryptogram.ts";

/** A card in the wallet. */
export type WalletCard = TestWalletCard & {
  readonly number: string;
  /** A network token of the device, or a card number in the customer's wallet account. */
  readonly kind: "network_token" | "card_number";
  /** The format of the card's tokens. */
  readonly format: "google_pay" | "apple_pay";
};

/** The cards in the wallet, one for each outcome that a shop tests first. */
export const walletCards: readonly WalletCard[] = [
  walletCard("success", "Success", "4242424242424242"),
  walletCard("success_mastercard", "Success", "5555555555554444"),
  {
    ...walletCard("success_apple_pay", "Success, in the format of Apple Pay", "4242424242424242"),
    format: "apple_pay",
  },
  walletCard("insufficient_funds", "Insufficient funds", "4000000000009995"),
  walletCard("authenticated", "Authenticated on the device", "4000002760003184"),
  {
    ...walletCard("card_number", "Card number only, 3-D Secure", "4000002760003184"),
    kind: "card_number",
  },
];

/** The cards as the customer sees them. */
export const shownCards: readonly TestWalletCard[] = walletCards.map(
  ({ id, label, brand, last4 }) => ({ id, label, brand, last4 }),
);

/** Returns the member `paymentMethodDetails` of a Google Pay token. */
export function googlePayDetails({ number, brand, kind }: WalletCard, now: Date): object {
  const { expMonth, expYear } = testCardExpiry(now);
  const card = { pan: number, expirationMonth: expMonth, expirationYear: expYear };
  if (kind === "card_number") return { authMethod: "PAN_ONLY", ...card };
  const cryptogram = newCryptogram(number);
  return { authMethod: "CRYPTOGRAM_3DS", ...card, cryptogram, eciIndicator: eciOf(brand, "Y") };
}

/** Returns the contents of an Apple Pay token for a payment. */
export function applePayContents(
  { number, brand }: WalletCard,
  payment: { readonly amountMinor: number; readonly currencyNumber: string },
  now: Date,
): object {
  const { expMonth, expYear } = testCardExpiry(now);
  const month = String(expMonth).padStart(2, "0");
  return {
    applicationPrimaryAccountNumber: number,
    applicationExpirationDate: `${expYear % 100}${month}28`,
    currencyCode: payment.currencyNumber,
    transactionAmount: payment.amountMinor,
    deviceManufacturerIdentifier: "000000000000",
    paymentDataType: "3DSecure",
    paymentData: {
      onlinePaymentCryptogram: newCryptogram(number),
      // Apple writes the ECI with one digit.
      eciIndicator: eciOf(brand, "Y")?.slice(1),
    },
  };
}

function walletCard(id: string, label: string, number: string): WalletCard {
  const { brand } = findTestCard(number) as TestCard;
  const last4 = number.slice(-4);
  const shown = { id, label, brand: brand as WalletCard["brand"], last4 };
  return { ...shown, number, kind: "network_token", format: "google_pay" };
}
