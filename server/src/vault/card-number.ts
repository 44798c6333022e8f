import { inspect } from "node:util";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";

/**
 * A card number that cannot be printed by accident. Logging, inspecting, interpolating or serializing it shows at most
 * the last four digits. Only `vault/` and `acquiring/` may use it (`tools/house-rules.test.ts`).
 */
export class CardNumber {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  /**
   * Returns the digits. Call it only to parse or encrypt the card number, to look it up, or to send it to the network.
   */
  reveal(): string {
    return this.#digits;
  }

  get last4(): string {
    return this.#digits.slice(-4);
  }

  toString(): string {
    return `•••• ${this.last4}`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return `CardNumber(${this.toString()})`;
  }
}

/** A value that exists in memory only, is used for one payment and prints as dots. */
export class PaymentSecret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return "•••";
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return `${this.constructor.name}(•••)`;
  }
}

/** A security code. It must never be stored (PCI DSS requirement 3.3.1). */
export class SecurityCode extends PaymentSecret {}

/**
 * The cryptogram of a network token, in base64. The customer's device computes it for one payment, and the issuer
 * verifies it instead of a security code.
 */
export class TokenCryptogram extends PaymentSecret {}

/** A wallet's token that is encrypted to an acquirer. It can be charged only once. */
export class GatewayToken extends PaymentSecret {}

/** The card data that the acquirer needs. */
export type CardCredentials = PayerDetails & {
  readonly number: CardNumber;
  readonly expMonth: number;
  readonly expYear: number;
  readonly securityCode: SecurityCode | null;
  /** Present if the number is a network token, which a wallet on the customer's device has provided. */
  readonly networkToken?: NetworkToken;
};

/** The payer's data that is sent to the acquirer with the card or the wallet's token. */
export type PayerDetails = {
  readonly postalCode: string | null;
  readonly addressLine1: string | null;
  /** Absent for the fixed payment methods of test mode. */
  readonly holder?: CardholderDetails;
};

/** The data of a network token in addition to its number and expiry date. */
export type NetworkToken = {
  /** Null if the cryptogram was used for an earlier payment, or is no longer in memory. */
  readonly cryptogram: TokenCryptogram | null;
  /** The electronic commerce indicator that the wallet provided. Null if the wallet provided none. */
  readonly eci: string | null;
  /** The wallet that provided the token. The test wallet provides tokens in the formats of both wallets. */
  readonly source: DigitalWallet;
};

/**
 * The cardholder's details that are sent to the acquirer in addition to the values that issuers check. Null means
 * unknown.
 */
export type CardholderDetails = {
  readonly name: string | null;
  readonly phone: string | null;
  readonly city: string | null;
  readonly state: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
};
