import type { Amount } from "./amount.ts";
import type { NotificationFault } from "./faults.ts";

export type ModificationKind = "capture" | "cancel" | "refund" | "reversal" | "technical_cancel";

export type Modification = {
  readonly pspReference: string;
  readonly kind: ModificationKind;
  readonly merchantAccount: string;
  /** Null if a cancellation by reference found no payment. */
  readonly payment: string | null;
  /**
   * The merchant reference of the payment. A cancellation by reference identifies the payment only by this reference.
   */
  readonly paymentReference: string;
  readonly reference: string | null;
  /** The amount of the request. Null if the operation concerns the whole payment. */
  readonly amount: Amount | null;
  readonly createdAt: number;
  readonly state: "received" | "succeeded" | "failed" | "failed_later";
  /** The amount that was captured or refunded. */
  readonly executedValue: number;
  readonly failureReason: string | null;
  /** The time at which a successful capture or refund fails. */
  readonly failsAt: number | null;
  readonly notificationFault: NotificationFault | null;
  /** The time from the success of the modification to the failure that a fault causes. */
  readonly lateFailureMs: number | null;
};
