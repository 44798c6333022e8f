import { type KeyObject, randomUUID } from "node:crypto";
import { createAppleCertificates } from "@florin/simulator/wallet/apple-certificates.ts";
import { encryptAppleToken } from "@florin/simulator/wallet/encrypt-apple-token.ts";
import { createSigningKey, encryptToken } from "@florin/simulator/wallet/encrypt-token.ts";
import { newCryptogram } from "@florin/simulator/wallet/token-cryptogram.ts";
import { day } from "./test-clock.ts";
import type { TestAuthority } from "./wallet-certificates.ts";

/** The public key of an account, to which a wallet encrypts its tokens. */
type EncryptionKey = { readonly public_key: string | null };

export type GoogleTokenOptions = {
  readonly now: Date;
  /** The key that a test trusts instead of Google's root key. */
  readonly root: KeyObject;
  readonly recipient?: string;
  readonly lifeMs?: number;
};

export type AppleTokenOptions = {
  readonly signedAt: Date;
  /** The authority that a test trusts instead of Apple's root. */
  readonly root: TestAuthority;
  readonly recipient?: string;
  /** The amount that the customer has approved, in US cents. */
  readonly amount?: number;
};

/** The card in every token. */
export const walletCard = { pan: "4242424242424242", expirationMonth: 12, expirationYear: 2030 };

const pointOf = (key: EncryptionKey) => Buffer.from(key.public_key as string, "base64");

/** Returns a token as Google Pay creates it for a card on the customer's device. */
export function createGoogleToken(
  key: EncryptionKey,
  { now, root, recipient = "merchant:BCR2DN4TXYZ", lifeMs = 7 * day }: GoogleTokenOptions,
): string {
  const message = {
    messageId: randomUUID(),
    messageExpiration: String(now.getTime() + lifeMs),
    paymentMethod: "CARD",
    paymentMethodDetails: {
      authMethod: "CRYPTOGRAM_3DS",
      ...walletCard,
      cryptogram: newCryptogram(walletCard.pan),
      eciIndicator: "05",
    },
  };
  const signingKey = createSigningKey(root, new Date(now.getTime() + 7 * day));
  return encryptToken(message, signingKey, { id: recipient, publicKey: pointOf(key) });
}

/** Returns a token as Apple Pay creates it. */
export function createAppleToken(
  key: EncryptionKey,
  { signedAt, root, recipient = "merchant.com.fieldware", amount = 1999 }: AppleTokenOptions,
): string {
  const certificates = createAppleCertificates(
    root.key,
    new Date(signedAt.getTime() - day),
    new Date(signedAt.getTime() + day),
    root.name,
  );
  const contents = {
    applicationPrimaryAccountNumber: walletCard.pan,
    applicationExpirationDate: "301231",
    currencyCode: "840",
    transactionAmount: amount,
    deviceManufacturerIdentifier: "040010030273",
    paymentDataType: "3DSecure",
    paymentData: { onlinePaymentCryptogram: newCryptogram(walletCard.pan), eciIndicator: "5" },
  };
  return encryptAppleToken(
    contents,
    certificates,
    { id: recipient, publicKey: pointOf(key) },
    signedAt,
  );
}
