import { inspect } from "node:util";

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

/** A security code. It exists in memory only, is used once and prints as dots (PCI DSS requirement 3.3.1). */
export class SecurityCode {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  reveal(): string {
    return this.#digits;
  }

  toString(): string {
    return "•••";
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return "SecurityCode(•••)";
  }
}

/** The card data that the acquirer needs. */
export type CardCredentials = {
  readonly number: CardNumber;
  readonly expMonth: number;
  readonly expYear: number;
  readonly securityCode: SecurityCode | null;
  readonly postalCode: string | null;
  readonly addressLine1: string | null;
  /** Absent for the fixed payment methods of test mode. */
  readonly holder?: CardholderDetails;
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
