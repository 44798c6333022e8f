import type { EventFault } from "./faults.ts";

/** A client of Checkout.com: a secret key, its entity, and the webhook of its workflow. */
export type Account = {
  readonly id: string;
  readonly entity: string;
  readonly secretKey: string;
  /** The signature key of the webhook action. It signs every event that is sent from now on. */
  readonly webhookSecret: string;
  readonly webhookUrl: string | null;
};

/** A processing channel of an account. A payment belongs to one channel. */
export type Channel = {
  readonly id: string;
  readonly account: string;
};

/** The stored facts about a card, without the number and the security code. */
export type Card = {
  readonly scheme: string;
  readonly bin: string;
  readonly last4: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly name: string | null;
  readonly fingerprint: string;
  readonly avsCheck: string | null;
  readonly cvvCheck: string | null;
};

/** The 3-D Secure data of a payment. */
export type Authentication = {
  /** `external`: the data came with the request. `own`: the cardholder was redirected to Checkout.com. */
  readonly kind: "external" | "own";
  /** The result, such as `Y`, `A` or `N`. Null until the cardholder has authenticated. */
  readonly result: string | null;
  readonly eci: string | null;
  readonly cryptogram: string | null;
  readonly xid: string | null;
  readonly version: string | null;
  readonly exemption: string | null;
};

export type PaymentStatus =
  | "Pending"
  | "Authorized"
  | "Card Verified"
  | "Voided"
  | "Partially Captured"
  | "Captured"
  | "Partially Refunded"
  | "Refunded"
  | "Declined"
  | "Canceled";

export type Payment = {
  readonly id: string;
  readonly account: string;
  readonly channel: string;
  readonly reference: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly capture: boolean;
  readonly status: PaymentStatus;
  readonly responseCode: string | null;
  readonly responseSummary: string | null;
  readonly authCode: string | null;
  /** The network transaction ID of the payment. */
  readonly schemeId: string | null;
  readonly eci: string | null;
  readonly card: Card;
  readonly paymentType: string;
  readonly merchantInitiated: boolean;
  readonly stored: boolean;
  readonly previousPaymentId: string | null;
  readonly billingDescriptor: { readonly name: string; readonly city: string } | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly customer: { readonly id: string; readonly email?: string; readonly name?: string } | null;
  readonly authentication: Authentication | null;
  readonly redirect: {
    readonly session: string;
    readonly successUrl: string | null;
    readonly failureUrl: string | null;
  } | null;
  readonly requestedAt: number;
  readonly processedAt: number | null;
  readonly expiresAt: number | null;
  readonly voided: number;
  readonly captured: number;
  readonly refunded: number;
};

export type ActionType = "Authorization" | "Card Verification" | "Capture" | "Void" | "Refund";

/** An action of a payment. A pending action has been accepted and not yet processed. */
export type Action = {
  readonly id: string;
  readonly payment: string;
  readonly account: string;
  readonly channel: string;
  readonly type: ActionType;
  readonly amount: number;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly state: "pending" | "approved" | "declined";
  readonly responseCode: string | null;
  readonly responseSummary: string | null;
  readonly requestedAt: number;
  readonly processedAt: number | null;
};

export type StoredEvent = {
  readonly id: string;
  readonly account: string;
  readonly channel: string | null;
  readonly type: string;
  /** The ID of the payment or dispute. */
  readonly subject: string;
  readonly body: string;
  readonly createdAt: number;
  readonly fault: EventFault | null;
  readonly state: "pending" | "delivered" | "lost" | "held" | "abandoned";
  readonly attempts: number;
};
