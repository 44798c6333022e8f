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

export type Notification = {
  readonly id: string;
  readonly merchantAccount: string;
  readonly eventCode: EventCode;
  readonly pspReference: string;
  readonly merchantReference: string;
  readonly createdAt: number;
  /** True if the signature was made with another key and the contents contradict the real notification. */
  readonly forged: boolean;
  /** The exact bytes of the request. Every attempt sends the same bytes. */
  readonly body: string;
  readonly state: NotificationState;
  readonly attempts: number;
  readonly problem: string | null;
};
