import type { DisputeReason } from "@florin/contract/dispute.ts";
import type { AttemptId, OperationId } from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import type { AuthorizationOutcome } from "./outcome.ts";

/** A verified notification of a live acquirer, in the form that every connector returns. */
export type LiveNotification = {
  readonly eventCode: string;
  readonly live: boolean;
  readonly merchantAccount: string;
  /** Florin's ID in the request that caused the event. Null if the reference does not come from Florin. */
  readonly reference: AttemptId | OperationId | null;
  /** The acquirer's identifier of the event's object: the payment, the operation or the dispute. */
  readonly acquirerReference: string;
  /** The acquirer's identifier of the payment. Null if the event does not name it. */
  readonly paymentReference: string | null;
  /** Null if the event has no amount that we can represent. */
  readonly price: Money | null;
  readonly createdAt: Date | null;
  readonly event: LiveEvent;
};

export type LiveEvent =
  | {
      readonly kind: "authorization";
      readonly outcome: Extract<AuthorizationOutcome, { kind: "approved" | "declined" }>;
    }
  /** The result of an operation that we requested. */
  | {
      readonly kind: "capture" | "cancellation" | "refund" | "technical_cancellation";
      readonly succeeded: boolean;
      readonly reason: string | null;
    }
  /**
   * The result of a reversal, which the acquirer executed as a cancellation or a refund. `executedAs` is null if the
   * event does not say which of the two.
   */
  | {
      readonly kind: "reversal";
      readonly succeeded: boolean;
      readonly executedAs: "cancellation" | "refund" | null;
      readonly reason: string | null;
    }
  /**
   * An operation that the acquirer reported as successful failed later. After `capture_failed`, Adyen can capture again
   * and report a successful capture (docs.adyen.com/online-payments/capture/failure-reasons).
   */
  | {
      readonly kind: "capture_failed" | "refund_failed" | "refund_reversed";
      readonly reason: string | null;
    }
  /** The uncaptured rest of the authorization expired. */
  | { readonly kind: "authorization_expired" }
  | ({ readonly kind: "dispute" } & DisputeEvent)
  /**
   * A report can be downloaded. The URL is null unless it is on the acquirer's host, because the download sends
   * credentials.
   */
  | { readonly kind: "report_available"; readonly url: string | null }
  /** The event has no effect on payments, so the notification is only stored. */
  | { readonly kind: "ignored" };

export type DisputeEvent = {
  /** Null if the event is about a response to the dispute and does not show to which stage the response belongs. */
  readonly stage: "inquiry" | "chargeback" | "pre_arbitration" | "arbitration" | null;
  /** `second_chargeback`: the acquirer has debited the amount again, after it had reversed the first chargeback. */
  readonly state:
    | "open"
    | "responded"
    | "undefended"
    | "reversed"
    | "second_chargeback"
    | "won"
    | "lost";
  /** The acquirer's own status. Null if the event has none. */
  readonly status: string | null;
  /** The network's reason code, for example `4853` or `10.4`. */
  readonly reasonCode: string | null;
  readonly reason: string | null;
  /** Florin's dispute reason for the network's reason code. */
  readonly disputeReason: DisputeReason;
  /** The acquirer's name for the network. */
  readonly scheme: string | null;
  readonly defensePeriodEndsAt: Date | null;
  readonly defendable: boolean | null;
  readonly autoDefended: boolean | null;
  /** The disputed amount in the currency of the payment. The acquirer's signature may not cover it. */
  readonly grossPrice: Money | null;
};

/** The values that we sent. A notification about the same object must have the same values. */
export type Expected = {
  readonly live: boolean;
  readonly merchantAccount: string;
  /** The amount of the charge or operation. Null if the notification concerns neither. */
  readonly price: Money | null;
};

export type Mismatch = "environment" | "merchant_account" | "currency" | "amount";

/**
 * Returns the name of the first value that differs from the value that we sent, or null. A notification that differs is
 * not applied, and an operator reviews it. Amounts of cancellations are not compared, because Adyen documents none.
 * Amounts of disputes are not compared, because a dispute can concern part of the payment.
 */
export function mismatchOf(notification: LiveNotification, expected: Expected): Mismatch | null {
  if (notification.live !== expected.live) return "environment";
  if (notification.merchantAccount !== expected.merchantAccount) return "merchant_account";
  if (expected.price === null || !hasAmount.has(notification.event.kind)) return null;
  if (notification.price?.currency !== expected.price.currency) return "currency";
  return notification.price.amountMinor === expected.price.amountMinor ? null : "amount";
}

const hasAmount: ReadonlySet<LiveEvent["kind"]> = new Set([
  "authorization",
  "capture",
  "capture_failed",
  "refund",
  "refund_failed",
  "refund_reversed",
]);
