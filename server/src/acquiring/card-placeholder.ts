/** The card fields of a request. */
export type CardField =
  | "number"
  | "expiryMonth"
  | "expiryYear"
  /** The month and the year as JSON numbers. */
  | "expiryMonthNumber"
  | "expiryYearNumber"
  | "securityCode"
  /** The cryptogram of a network token. */
  | "cryptogram"
  /** A wallet's token that the acquirer decrypts, as a string or as the JSON object that the string contains. */
  | "gatewayToken"
  | "gatewayTokenObject";

/**
 * Stands for a card field in a prepared request body. The function that sends the request replaces it just before
 * serialization, so that no other code handles the value. A body with a placeholder cannot be serialized.
 */
export class CardPlaceholder {
  readonly field: CardField;

  constructor(field: CardField) {
    this.field = field;
  }

  toJSON(): never {
    throw new Error(`The card placeholder '${this.field}' must be replaced before serialization.`);
  }
}

/** A JSON value that can contain card placeholders. */
export type PreparedJson =
  | string
  | number
  | boolean
  | null
  | CardPlaceholder
  | readonly PreparedJson[]
  | { readonly [key: string]: PreparedJson };
