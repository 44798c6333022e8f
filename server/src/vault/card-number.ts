import { inspect } from "node:util";

/**
 * A card number that cannot be printed by accident: it logs, inspects, interpolates and serialises as dots.
 * Only `vault/` and `processors/` may name it (tools/tidy.test.ts holds that).
 */
export class CardNumber {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  /** The digits themselves. Whoever calls this must be about to encrypt them or to send them to the acquirer. */
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

/** A security code: lives in memory only, is used once, and prints as dots (PCI DSS requirement 3.3.1). */
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

/** What a processor needs to know of a card. */
export type CardCredentials = {
  readonly number: CardNumber;
  readonly expMonth: number;
  readonly expYear: number;
  readonly securityCode: SecurityCode | null;
  readonly postalCode: string | null;
  readonly addressLine1: string | null;
};
