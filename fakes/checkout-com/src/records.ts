import type { OutboxEvent } from "@florin/shared-fake/event-outbox.ts";
import type { WalletCard } from "@florin/shared-fake/wallet-tokens.ts";

/** A client of Checkout.com: a secret key, its entity, and the webhook of its workflow. */
export type Account = {
  readonly id: string;
  readonly entity: string;
  readonly secretKey: string;
  /** The public key, with which only tokens can be created. */
  readonly publicKey: string;
  /** The signature key of the webhook action. It signs every event that is sent from now on. */
  readonly webhookSecret: string;
  readonly webhookUrl: string | null;
  /**
   * The currency in which all payments are settled, with the rate of each other currency. Null if each currency has its
   * own balance.
   */
  readonly holding: {
    readonly currency: string;
    readonly rates: Readonly<Record<string, number>>;
  } | null;
  /**
   * True if a payment that an issuer declines with 20154 is continued with a redirect, unless its request forbids this.
   */
  readonly upgradesSoftDeclines: boolean;
};

/** A processing channel of an account. A payment belongs to one channel. */
export type Channel = {
  readonly id: string;
  readonly account: string;
};

/** The stored facts about a card, without the number and the security code. */
export type Card = {
  /** The ID of the stored source. */
  readonly id: string;
  readonly scheme: string;
  readonly bin: string;
  readonly last4: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly name: string | null;
  readonly fingerprint: string;
  readonly avsCheck: string | null;
  readonly cvvCheck: string | null;
  readonly billingAddress: Readonly<Record<string, string>> | null;
};

/** A single-use card token that is valid for 15 minutes. */
export type Token = {
  readonly id: string;
  readonly account: string;
  readonly type: "googlepay" | "applepay";
  readonly card: WalletCard;
  readonly expiresAt: number;
  readonly used: boolean;
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
  | "Expired";

/** The response code of an action, and the advice of the network about another attempt. */
export type IssuerResponse = {
  readonly code: string;
  readonly summary: string;
  readonly merchantAdviceCode: string | null;
  /** The card data that the Real-Time Account Updater has found. */
  readonly accountUpdate: AccountUpdate | null;
};

export type AccountUpdate = {
  readonly status: string;
  readonly expiryMonth: number | null;
  readonly expiryYear: number | null;
};

export type Payment = {
  readonly id: string;
  readonly account: string;
  readonly channel: string;
  readonly reference: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly capture: boolean;
  readonly status: PaymentStatus;
  readonly response: IssuerResponse | null;
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
  readonly customer: {
    readonly id: string;
    readonly email?: string;
    readonly name?: string;
  } | null;
  readonly authentication: Authentication | null;
  readonly redirect: {
    readonly session: string;
    readonly successUrl: string | null;
    readonly failureUrl: string | null;
  } | null;
  readonly requestedAt: number;
  readonly expiresAt: number | null;
  readonly retrievalReferenceNumber: string;
  readonly acquirerTransactionId: string;
  readonly authorized: number;
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
  /** True if the capture releases the rest of the authorization. */
  readonly isFinal: boolean;
  readonly state: "pending" | "approved" | "declined";
  readonly response: IssuerResponse | null;
  readonly acquirerReferenceNumber: string | null;
  readonly requestedAt: number;
  readonly processedAt: number | null;
};

export type DisputeStatus =
  | "evidence_required"
  | "evidence_under_review"
  | "resolved"
  | "won"
  | "lost"
  | "canceled"
  | "expired"
  | "accepted"
  | "arbitration_lost";

export type Dispute = {
  readonly id: string;
  readonly payment: string;
  readonly action: string;
  readonly account: string;
  readonly channel: string;
  readonly category: string;
  readonly reasonCode: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: DisputeStatus;
  readonly evidence: Readonly<Record<string, string>>;
  readonly evidenceRequiredBy: number;
  readonly receivedAt: number;
  readonly updatedAt: number;
};

export type File = {
  readonly id: string;
  readonly account: string;
  readonly filename: string;
  readonly purpose: string;
  readonly content: Buffer;
  readonly uploadedAt: number;
};

/**
 * The ledger: every movement of an account's money. Records are only appended, and only the field `payout` of a record
 * can change. Amounts are in minor units, and a positive amount is a credit to the account.
 */
export type Movement = {
  readonly id: string;
  readonly account: string;
  readonly channel: string;
  readonly payment: string;
  /** The ID of the payment action or dispute. */
  readonly action: string;
  readonly actionType: string;
  readonly breakdownType: string;
  readonly reference: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly holdingAmount: number;
  readonly holdingCurrency: string;
  readonly rate: number;
  readonly requestedAt: number;
  readonly processedAt: number;
  readonly payout: string | null;
};

export type Payout = {
  readonly id: string;
  readonly account: string;
  readonly amount: number;
  readonly currency: string;
  readonly createdAt: number;
};

export type Report = {
  readonly id: string;
  readonly account: string;
  readonly type: "FinancialActions" | "Payouts";
  readonly payout: string;
  readonly file: string;
  readonly filename: string;
  readonly content: string;
  readonly createdAt: number;
  readonly from: number;
  readonly to: number;
};

export type StoredEvent = OutboxEvent & {
  readonly channel: string | null;
  /** The ID of the payment or dispute. */
  readonly subject: string;
};
