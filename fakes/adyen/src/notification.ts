import type { Amount } from "./amount.ts";

export type EventCode =
  | "AUTHORISATION"
  | "CANCELLATION"
  | "TECHNICAL_CANCEL"
  | "CANCEL_OR_REFUND"
  | "CAPTURE"
  | "CAPTURE_FAILED"
  | "REFUND"
  | "REFUND_FAILED"
  | "REFUNDED_REVERSED"
  | "EXPIRE"
  | "REQUEST_FOR_INFORMATION"
  | "NOTIFICATION_OF_CHARGEBACK"
  | "CHARGEBACK"
  | "CHARGEBACK_REVERSED"
  | "SECOND_CHARGEBACK"
  | "PREARBITRATION_WON"
  | "PREARBITRATION_LOST"
  | "INFORMATION_SUPPLIED"
  | "DISPUTE_DEFENSE_PERIOD_ENDED"
  | "ISSUER_RESPONSE_TIMEFRAME_EXPIRED"
  | "REPORT_AVAILABLE";

export type NotificationState =
  | { readonly kind: "pending"; readonly dueAt: number }
  | { readonly kind: "delivered"; readonly deliveredAt: number }
  /**
   * The notification waits until the control API sends it. `lost` results from a fault, and `held` from the setting of
   * the account.
   */
  | { readonly kind: "lost" | "held" }
  /** The retries end after 30 days, as at Adyen. */
  | { readonly kind: "abandoned" };

/** The facts of an event (schemas `…NotificationRequestItem` of Webhooks-v1). */
export type EventFacts = {
  readonly merchantAccount: string;
  readonly eventCode: EventCode;
  readonly pspReference: string;
  readonly originalReference: string | null;
  readonly merchantReference: string;
  readonly amount: Amount;
  readonly success: boolean;
  readonly reason: string;
  readonly paymentMethod: string | null;
  readonly operations: readonly string[] | null;
  readonly additionalData: Readonly<Record<string, string>>;
};

/**
 * A notification of an event. Its body is created when it is sent, because most notifications in the state `held` are
 * never sent.
 */
export type Notification = {
  readonly id: string;
  readonly facts: EventFacts;
  /**
   * The key that signs the notification, in hex: the HMAC key of the account when the event happened, unless the
   * notification is forged.
   */
  readonly hmacKey: string;
  readonly createdAt: number;
  /** True if the notification is forged: `hmacKey` is not the key of the account, and `facts` contradicts the event. */
  readonly forged: boolean;
  readonly state: NotificationState;
  readonly attempts: number;
  readonly problem: string | null;
};
