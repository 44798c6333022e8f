import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { CardNumber, TokenCryptogram } from "../card-number.ts";

/** The decrypted contents of a wallet's token. */
export type WalletCredential = NetworkTokenCredential | CardOnFileCredential;

/** A network token that is bound to the customer's device. The device has authenticated the customer. */
export type NetworkTokenCredential = {
  readonly kind: "network_token";
  readonly number: CardNumber;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cryptogram: TokenCryptogram;
  /** The electronic commerce indicator. Null if the wallet provided none. */
  readonly eci: string | null;
  readonly source: DigitalWallet;
};

/**
 * The number of a card that is stored in the customer's wallet account. The customer is not authenticated, so the
 * payment is treated like one with a typed card.
 */
export type CardOnFileCredential = {
  readonly kind: "card";
  readonly number: CardNumber;
  readonly expMonth: number;
  readonly expYear: number;
};

export type DecryptedToken =
  | {
      readonly kind: "decrypted";
      readonly credential: WalletCredential;
      /** The wallet's identifier of the token. The wallet has signed it, so a copy of the token has the same one. */
      readonly tokenId: string;
      /** The expiry of the token, which is rejected from then on. */
      readonly expiresAt: Date;
      /** The amount that the customer has approved on the device. Null if the wallet does not sign it. */
      readonly approved: ApprovedAmount | null;
    }
  | RejectedToken;

export type ApprovedAmount = {
  /** The amount in the smallest unit of the currency. */
  readonly amountMinor: number;
  /** The currency as an ISO 4217 number, such as `840`. */
  readonly currencyNumber: string;
};

export type RejectedToken = { readonly kind: "rejected"; readonly reason: TokenRejection };

/** The reason why a token is rejected. No reason contains data of the token. */
export type TokenRejection =
  /** The token is not a JSON object of the expected form, or is too long. */
  | "malformed"
  | "unsupported_version"
  /** No trusted root key has signed the token's signing key. */
  | "untrusted_signing_key"
  | "expired_signing_key"
  /** The token was altered, or was created for another merchant. */
  | "invalid_signature"
  /** None of the merchant's keys decrypts the token. */
  | "unknown_recipient_key"
  /** The decrypted contents do not describe a card, or the token's expiry is too far in the future. */
  | "invalid_contents"
  /** The token has expired, or was signed in the future. */
  | "expired"
  /** The customer has approved another amount or currency. */
  | "other_amount"
  /** The token was used before. */
  | "replayed"
  /** The account does not accept the wallet, or accepts only tokens of the wallet that an acquirer decrypts. */
  | "not_accepted"
  /** The wallet's root keys cannot be loaded. */
  | "no_root_keys";

export function rejectToken(reason: TokenRejection): RejectedToken {
  return { kind: "rejected", reason };
}
