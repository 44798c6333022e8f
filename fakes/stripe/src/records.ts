import type { OutboxEvent } from "@florin/shared-fake/event-outbox.ts";
import type { TestCard } from "./test-cards.ts";

/** A Stripe account: a platform with a secret key, or an account that is connected to a platform. */
export type Account = {
  readonly id: string;
  /**
   * The platform account whose secret key is sent together with `Stripe-Account`. Null if the account has its own key.
   */
  readonly platform: string | null;
  /** The key of the account. Ignored for a connected account. */
  readonly secretKey: string;
  /** The secret that signs events. During a rotation, the previous secret also signs. */
  readonly webhookSecret: string;
  readonly previousWebhookSecret: string | null;
  readonly webhookUrl: string | null;
  readonly livemode: boolean;
};

/** The stored facts about a card, without the number and the security code. */
export type Card = {
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly behavior: TestCard;
  readonly hasCvc: boolean;
  readonly hasLine1: boolean;
  readonly hasPostalCode: boolean;
  /** The wallet whose token contained the card. Null if the request contained the card number itself. */
  readonly wallet: CardWallet | null;
};

export type CardWallet = { readonly type: "google_pay"; readonly hasCryptogram: boolean };

/** A single-use card token. */
export type Token = {
  readonly id: string;
  readonly account: string;
  readonly created: number;
  readonly used: boolean;
  readonly tokenizationMethod: "google_pay" | null;
  readonly card: Card;
};

export type PaymentError = {
  readonly code: string;
  readonly declineCode: string | null;
  readonly networkDeclineCode: string | null;
  readonly networkAdviceCode: string | null;
  readonly adviceCode: string | null;
  readonly message: string;
  readonly charge: string | null;
};

export type Intent = {
  readonly id: string;
  readonly account: string;
  readonly amount: number;
  readonly currency: string;
  readonly captureMethod: "automatic" | "manual";
  readonly confirmationMethod: "automatic" | "manual";
  readonly metadata: Readonly<Record<string, string>>;
  readonly statementDescriptorSuffix: string | null;
  readonly clientSecret: string;
  readonly created: number;
  readonly status:
    | "requires_payment_method"
    | "requires_confirmation"
    | "requires_action"
    | "requires_capture"
    | "succeeded"
    | "canceled";
  readonly canceledAt: number | null;
  readonly amountReceived: number;
  readonly lastPaymentError: PaymentError | null;
  readonly card: Card | null;
  readonly isAuthenticated: boolean;
  readonly redirect: { readonly token: string; readonly returnUrl: string } | null;
  readonly latestCharge: string | null;
  /** True if the last confirmation stated that the cardholder is absent. */
  readonly offSession: boolean;
  readonly setupFutureUsage: string | null;
  readonly networkTransactionId: string | null;
};

export type SetupIntent = {
  readonly id: string;
  readonly account: string;
  /** The ID of the attempt to verify the card. */
  readonly attempt: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly usage: string;
  readonly clientSecret: string;
  readonly created: number;
  readonly status: "requires_payment_method" | "requires_action" | "succeeded";
  readonly card: Card;
  readonly isAuthenticated: boolean;
  readonly lastSetupError: PaymentError | null;
  readonly redirect: { readonly token: string; readonly returnUrl: string } | null;
};

export type Charge = {
  readonly id: string;
  readonly intent: string;
  readonly account: string;
  readonly amount: number;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: number;
  readonly status: "succeeded" | "failed";
  readonly captured: boolean;
  readonly amountCaptured: number;
  readonly amountRefunded: number;
  readonly disputed: boolean;
  readonly card: Card;
  readonly error: PaymentError | null;
  readonly authentication: "own" | "external" | null;
  readonly electronicCommerceIndicator: string | null;
  readonly networkTransactionId: string | null;
  readonly authorizationCode: string | null;
  readonly balanceTransaction: string | null;
};

export type Refund = {
  readonly id: string;
  readonly charge: string;
  readonly intent: string;
  readonly account: string;
  readonly amount: number;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: number;
  readonly status: "pending" | "succeeded" | "failed";
  readonly failureReason: string | null;
  readonly balanceTransaction: string | null;
  readonly failureBalanceTransaction: string | null;
};

export type DisputeStatus =
  | "warning_needs_response"
  | "warning_under_review"
  | "warning_closed"
  | "needs_response"
  | "under_review"
  | "won"
  | "lost";

export type Dispute = {
  readonly id: string;
  readonly charge: string;
  readonly intent: string;
  readonly account: string;
  readonly amount: number;
  readonly currency: string;
  readonly reason: string;
  readonly networkReasonCode: string | null;
  readonly status: DisputeStatus;
  readonly created: number;
  readonly dueBy: number;
  readonly evidence: Readonly<Record<string, string>>;
  readonly balanceTransactions: readonly string[];
};

/**
 * The ledger: every movement of an account's money. Records are only appended, and only the field `payout` of a record
 * can change.
 */
export type BalanceTransaction = {
  readonly id: string;
  readonly account: string;
  readonly type:
    | "charge"
    | "refund"
    | "refund_failure"
    | "adjustment"
    | "payout"
    | "payout_failure";
  readonly reportingCategory: string;
  readonly amount: number;
  readonly fee: number;
  readonly net: number;
  readonly currency: string;
  readonly created: number;
  /** The ID of the charge, refund, dispute or payout. */
  readonly source: string;
  readonly payout: string | null;
};

export type Payout = {
  readonly id: string;
  readonly account: string;
  readonly amount: number;
  readonly currency: string;
  readonly created: number;
  readonly status: "paid" | "failed";
  readonly balanceTransaction: string;
};

export type File = {
  readonly id: string;
  readonly account: string;
  readonly purpose: string;
  readonly type: string;
  readonly content: Buffer;
  readonly created: number;
};

export type StoredEvent = OutboxEvent;
