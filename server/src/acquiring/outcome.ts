import type { CheckResult } from "@florin/contract/charge.ts";
import type { DeclineCode, RetryClass } from "@florin/contract/declines.ts";
import type { CardBrand, Funding } from "@florin/contract/payment-method.ts";

/**
 * The outcomes that a connector returns. Every connector uses these types, so that a charge takes the same path at
 * every acquirer.
 */
export type AuthorizationOutcome =
  | {
      readonly kind: "approved";
      /** The authorized amount. It is smaller than the requested amount after a partial approval. */
      readonly approvedMinor: number;
      readonly details: AuthorizationDetails;
    }
  | ({ readonly kind: "declined"; readonly details: AuthorizationDetails } & Decline)
  /** The acquirer decides only after the cardholder has visited one of its pages. */
  | {
      readonly kind: "requires_action";
      readonly redirect: Redirect;
      /** The acquirer's data for the request that follows the redirect. Null if that request needs no data. */
      readonly resume: string | null;
      readonly acquirerReference: string | null;
    }
  /** The acquirer has received the request and decides later. A notification reports the outcome. */
  | { readonly kind: "pending"; readonly acquirerReference: string | null }
  | Rejected
  /** The request was certainly not sent. */
  | { readonly kind: "not_sent" }
  | UnknownOutcome;

/** The outcome of a capture, cancellation, refund or reversal. */
export type OperationOutcome =
  | { readonly kind: "done"; readonly acquirerReference: string | null }
  /** The acquirer will never execute the operation under this reference. */
  | { readonly kind: "declined"; readonly code: DeclineCode; readonly reason: string | null }
  /** The acquirer has accepted the request and reports the result in a notification. */
  | { readonly kind: "pending"; readonly acquirerReference: string | null }
  | Rejected
  | { readonly kind: "not_sent" }
  | UnknownOutcome;

export type Decline = {
  readonly code: DeclineCode;
  /** The ISO 8583 field 39 value or the network's own code. Null if the acquirer did not return it. */
  readonly networkDeclineCode: string | null;
  readonly retry: RetryClass;
  /** The network forbids another attempt before this time. Null if the network set no time. */
  readonly notBefore: Date | null;
};

/** The acquirer certainly did not process the request. */
export type Rejected = {
  readonly kind: "rejected";
  readonly why: RejectionReason;
  /** The acquirer's own error code. Null if this process rejected the request before it was sent. */
  readonly acquirerErrorCode: string | null;
};

/** The outcome for an amount that the acquirer cannot represent. The request is not sent. */
export const amountNotRepresentable: Rejected = {
  kind: "rejected",
  why: "amount_not_representable",
  acquirerErrorCode: null,
};

export type RejectionReason =
  /** The API key is invalid, or may not use this merchant account. */
  | "credentials"
  | "invalid_request"
  /** The card number or the security code is malformed. */
  | "card_data"
  /** The acquirer cannot decrypt the wallet's token, or the token was used before or has expired. */
  | "wallet_token"
  | "rate_limited"
  /** The acquirer does not support the currency, or has fewer decimals for it than the amount needs. */
  | "amount_not_representable";

/** The outcome is not known, and money may have moved. */
export type UnknownOutcome = {
  readonly kind: "unknown";
  readonly why: UnknownReason;
  /**
   * The problem, for the log and for certification, without a period at its end. It contains no data of the response,
   * which could include card data.
   */
  readonly problem: string;
};

export type UnknownReason =
  | "timeout"
  | "invalid_response"
  | "connection_lost"
  /** The acquirer does not know the operation, and it is too late to send the operation again. */
  | "replay_unsafe";

/**
 * The acquirer has not processed the request, or is still processing it. The same bytes must be sent again with the
 * same idempotency key. `otherwise` is the outcome if every attempt fails.
 */
export type RetrySameRequest = {
  readonly kind: "retry_same_request";
  readonly otherwise: Rejected | UnknownOutcome;
};

/** A response as received. */
export type HttpResponse = {
  readonly status: number;
  /** The headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};

export type Redirect = {
  readonly url: string;
  readonly method: "GET" | "POST";
  /** The form fields of a POST. Empty for a GET. */
  readonly fields: Readonly<Record<string, string>>;
};

/** Data of an authorization that the acquirer returns in addition to its decision. */
export type AuthorizationDetails = {
  /**
   * The acquirer's identifier of the payment, to which captures and refunds refer. Null if the acquirer identifies the
   * payment by our reference.
   */
  readonly acquirerReference: string | null;
  readonly authorizationCode: string | null;
  readonly eci: string | null;
  readonly liabilityShifted: boolean | null;
  /** The identifier to which later payments with the saved card refer. */
  readonly networkTransactionId: string | null;
  readonly networkAdviceCode: string | null;
  readonly checks: CardChecks;
  readonly card: CardDetails;
  /** The change of the card that the network's account updater reported with this payment. Null if there is none. */
  readonly accountUpdate: AccountUpdate | null;
};

/**
 * A change of a stored card that Visa Account Updater or Mastercard Automatic Billing Updater reported. An acquirer
 * does not send us a new card number, so only a new expiry date can be applied.
 */
export type AccountUpdate =
  | { readonly kind: "expiry_changed"; readonly expMonth: number; readonly expYear: number }
  | { readonly kind: "card_replaced" | "account_closed" | "contact_cardholder" };

/** Results of the issuer's checks. Null means that the value was not sent, or not checked. */
export type CardChecks = {
  readonly cvcCheck: CheckResult | null;
  readonly addressLine1Check: CheckResult | null;
  readonly addressPostalCodeCheck: CheckResult | null;
};

/** Properties of the card that the acquirer reports. Null means that it did not report the property. */
export type CardDetails = {
  readonly brand: CardBrand | null;
  readonly funding: Funding | null;
  /** The issuer's country, ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly last4: string | null;
  readonly expiry: CardExpiry | null;
};

export type CardExpiry = { readonly month: number; readonly year: number };

/** The outcome of a call that cannot be sent, because the connection of the charge cannot be used. */
export const noAcquirer: UnknownOutcome = {
  kind: "unknown",
  why: "connection_lost",
  problem: "the connection is retired, or its secrets could not be decrypted",
};

/** The details of an acquirer that returns only its decision. */
export const noDetails: AuthorizationDetails = {
  acquirerReference: null,
  authorizationCode: null,
  eci: null,
  liabilityShifted: null,
  networkTransactionId: null,
  networkAdviceCode: null,
  checks: { cvcCheck: null, addressLine1Check: null, addressPostalCodeCheck: null },
  card: { brand: null, funding: null, country: null, last4: null, expiry: null },
  accountUpdate: null,
};
