import type { Amount } from "./amount.ts";
import type { NotificationFault } from "./faults.ts";
import type { TestInstruction } from "./test-instructions.ts";

export type CardBrand = "visa" | "mc" | "amex" | "discover" | "jcb" | "diners" | "cup" | "maestro";

/** The stored facts about a card, without the number and the security code. */
export type CardFacts = {
  readonly brand: string;
  readonly last4: string;
  /** Month and year without a leading zero, as Adyen formats them: `3/2030`. */
  readonly expiry: string;
  /** The wallet whose token contained the card. Null if the request contained the card number itself. */
  readonly wallet: "googlepay" | "applepay" | null;
};

export type CaptureMode =
  | { readonly kind: "manual" }
  | { readonly kind: "automatic"; readonly delayHours: number };

export type ThreeDSecure = {
  readonly authenticated: boolean;
  readonly offeredResponse: string;
  readonly authenticatedResponse: string;
  readonly eci: string | null;
  readonly version: string;
  readonly dsTransID: string | null;
};

/** The page to which the cardholder is redirected. */
export type Redirect = {
  /** The part of the page's URL that identifies the payment. */
  readonly token: string;
  readonly returnUrl: string;
  /** The cardholder's choice on the page. Null until the cardholder has chosen. */
  readonly outcome: { readonly redirectResult: string; readonly authenticated: boolean } | null;
};

export type PaymentState =
  /** The cardholder is on the authentication page, or has not returned from it. */
  | "redirected"
  /** The response was `Received`. The outcome follows as a notification. */
  | "received"
  | "authorised"
  | "refused";

/** The statuses of the Real Time Account Updater (schema `ResponseAdditionalDataCommon`). */
export const accountUpdateStatuses = [
  "CardChanged",
  "CardExpiryChanged",
  "CloseAccount",
  "ContactCardAccountHolder",
] as const;

export type AccountUpdate = {
  readonly status: (typeof accountUpdateStatuses)[number];
  /** The new expiry date, such as `3/2030`. Null if it has not changed. */
  readonly expiryDate: string | null;
};

export type Payment = {
  readonly pspReference: string;
  readonly merchantAccount: string;
  readonly reference: string;
  readonly amount: Amount;
  readonly createdAt: number;
  readonly state: PaymentState;
  readonly card: CardFacts;
  readonly capture: CaptureMode;
  readonly instruction: TestInstruction;
  readonly authentication: ThreeDSecure | null;
  readonly redirect: Redirect | null;
  readonly checks: { readonly cvc: string; readonly avs: string };
  readonly recurringProcessingModel: string | null;
  /** In a payment with a stored card: the `networkTxReference` of an earlier payment, as given in the request. */
  readonly networkPaymentReference: string | null;
  /** The card data that the Real Time Account Updater has found during the payment. */
  readonly accountUpdate: AccountUpdate | null;
  readonly authCode: string | null;
  readonly networkTxReference: string | null;
  readonly acquirerReference: string | null;
  readonly authorisedAt: number | null;
  /** The time at which the uncaptured part of the authorization is released. */
  readonly expiresAt: number | null;
  readonly capturedValue: number;
  /** The part of the authorization that was canceled, that expired, or that a partial capture released. */
  readonly releasedValue: number;
  readonly refundedValue: number;
  /** The sum of the chargebacks, minus the chargebacks that were reversed. */
  readonly chargedBackValue: number;
  /** The time from an automatic capture to its late failure. Null if no such failure follows. */
  readonly captureFailsAfterMs: number | null;
  readonly notificationFault: NotificationFault | null;
};

/** Returns the part of the authorization that can still be captured or canceled. */
export function heldValue(payment: Payment): number {
  if (payment.state !== "authorised") return 0;
  return payment.amount.value - payment.capturedValue - payment.releasedValue;
}

/** Returns the captured part that can still be refunded. */
export function refundableValue(payment: Payment): number {
  return payment.capturedValue - payment.refundedValue - payment.chargedBackValue;
}
