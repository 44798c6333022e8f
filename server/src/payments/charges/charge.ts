import type { CaptureMethod, PendingReason, ThreeDSecure } from "@florin/contract/charge.ts";
import type { DecisionOutcome } from "@florin/contract/decision.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardErrorCode } from "@florin/contract/errors.ts";
import type { CardChecks } from "../../acquiring/outcome.ts";
import type { ProcessorName } from "../../acquiring/processor.ts";
import type { MaskedCard } from "../../cards/payment-methods/masked-card.ts";
import type { NewCardDetails } from "../../cards/payment-methods/new-card-details.ts";
import type {
  AssignmentId,
  BalanceTransactionId,
  ChargeId,
  CheckoutSessionId,
  CustomerId,
  DecisionId,
  PaymentMethodId,
  RequestId,
} from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Transitions } from "../../core/transitions.ts";
import type { DecisionDetails } from "../../risk/signals.ts";

/** An attempt to collect an amount from a payment method. */
export type Charge =
  | ProcessingCharge
  | ChallengedCharge
  | AuthorizedCharge
  | SucceededCharge
  | FailedCharge
  | (ChargeBase & { readonly status: "canceled"; readonly finalizedAt: Date });

/** A charge that an acquirer or issuer response can still change. */
export type PendingCharge = ProcessingCharge | ChallengedCharge;

/** A charge that waits for the cardholder's 3-D Secure authentication. */
export type ChallengedCharge = ChargeBase & { readonly status: "requires_action" };

export type ProcessingCharge = ChargeBase & {
  readonly status: "processing";
  readonly pendingReason: PendingReason | null;
  /** True once a reversal has started. A late approval is then ignored: the reversal decides the outcome. */
  readonly reversalPending: boolean;
};

/** An approved charge that is held and not captured. */
export type AuthorizedCharge = ChargeBase & {
  readonly status: "authorized";
  readonly finalizedAt: Date;
  readonly captureBefore: Date;
  /** Set while the outcome of a capture or void is unknown. */
  readonly pendingReason: PendingReason | null;
};

export type SucceededCharge = ChargeBase & {
  readonly status: "succeeded";
  readonly finalizedAt: Date;
  readonly capturedMinor: number;
  /** The sum of succeeded and pending refunds. */
  readonly refundedMinor: number;
  /** The sum of open and lost disputes. */
  readonly disputedMinor: number;
};

export type FailedCharge = ChargeBase & {
  readonly status: "failed";
  /**
   * The time of the failure. After the late failure of a capture, it is still the time of the success, because metrics
   * compute the response time from `finalizedAt`, and the timeline uses it to find the event of the success.
   */
  readonly finalizedAt: Date;
  readonly failure: Failure;
  /**
   * The balance transaction that took the captured amount back from the merchant's balance, if the capture failed after
   * it had succeeded. Null otherwise.
   */
  readonly failureEntry: BalanceTransactionId | null;
  /** True if an operator ended the charge without a confirmation from the acquirer. A late approval is reversed. */
  readonly unconfirmed: boolean;
};

export type ChargeStatus = Charge["status"];

/** The transitions of a charge. Refunds and disputes do not change its status. */
export const chargeTransitions: Transitions<ChargeStatus> = {
  processing: {
    requires_action: "3-D Secure required",
    authorized: "approved, manual capture",
    succeeded: "approved and captured",
    failed: "declined, blocked, reversed, or ended by an operator",
  },
  requires_action: {
    processing: "3-D Secure completed",
    failed: "3-D Secure failed",
    canceled: "canceled by the merchant",
  },
  authorized: { succeeded: "captured", canceled: "canceled or expired" },
  succeeded: { failed: "capture failed at the acquirer" },
  failed: {},
  canceled: {},
};

export type Failure = {
  readonly code: CardErrorCode;
  readonly declineCode: DeclineCode;
  readonly networkDeclineCode: string | null;
};

/** The fields that exist in every state of a charge. */
export type ChargeBase = {
  readonly id: ChargeId;
  readonly scope: Scope;
  /** Incremented by every transition. Readers use it to discard stale events, and writers to detect conflicts. */
  readonly version: number;
  readonly price: Money;
  readonly captureMethod: CaptureMethod;
  readonly processor: ProcessorName;
  /** The merchant's assignment to a connection to the acquirer. Null in test mode, which uses the simulator. */
  readonly assignmentId: AssignmentId | null;
  /**
   * The acquirer's identifier of the payment. Null until it is known. Always null in test mode, because the simulator
   * has none.
   */
  readonly acquirerReference: string | null;
  readonly acquirerDetails: AcquirerDetails | null;
  readonly paymentMethodId: PaymentMethodId;
  readonly card: MaskedCard;
  readonly checks: CardChecks | null;
  readonly threeDSecure: ThreeDSecure | null;
  /**
   * The network transaction ID of the approval. It is stored with the card that this payment saves, not with the
   * charge.
   */
  readonly networkTransactionId: string | null;
  /**
   * The details of the card that the acquirer's decision contained. They are stored with the payment method, not with
   * the charge.
   */
  readonly newDetails: NewCardDetails | null;
  readonly customerId: CustomerId | null;
  readonly checkoutSessionId: CheckoutSessionId | null;
  /** The decision that the merchant requested before the charge. Null if the service made the decision. */
  readonly decisionId: DecisionId | null;
  readonly risk: Risk;
  /** The merchant's order ID, copied from the checkout session if there is one. */
  readonly clientReferenceId: string | null;
  readonly description: string | null;
  readonly statementDescriptor: string | null;
  readonly offSession: boolean;
  readonly returnUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly request: { readonly id: RequestId; readonly idempotencyKey: string | null } | null;
  /** The number of status inquiries and reversals sent so far, or since an operator last restarted them. */
  readonly inquiries: number;
  /** The number of times that an operator restarted the inquiries. */
  readonly inquiryRestarts: number;
};

/** Data that the acquirer returned with its decision, for the operator and for disputes. */
export type AcquirerDetails = {
  readonly authorizationCode: string | null;
  /** The electronic commerce indicator: how the payment was authenticated. */
  readonly eci: string | null;
  /** True if the issuer bears the loss of a fraudulent payment. */
  readonly liabilityShifted: boolean | null;
  /** The network's advice on another attempt, such as Mastercard's merchant advice code. */
  readonly networkAdviceCode: string | null;
  /**
   * The issuer's country as the acquirer returned it, if the charge's card has no country. Absent for charges of
   * earlier versions.
   */
  readonly issuerCountry?: string | null;
};

/** The risk decision on the charge. */
export type Risk = {
  readonly outcome: DecisionOutcome;
  readonly score: number;
  readonly reasons: readonly string[];
  /** The signals of the decision and the rules that matched. */
  readonly details: DecisionDetails | null;
};

/**
 * Returns the ID of the charge's balance transaction. It has the UUID of the charge, so that the payment cannot be
 * posted twice.
 */
export function balanceTransactionIdOf(id: ChargeId): BalanceTransactionId {
  return `txn_${id.slice("ch_".length)}`;
}

/** Returns the ID of the risk decision: the one that the merchant requested, or else the one stored with the charge. */
export function decisionIdOf(charge: Pick<ChargeBase, "id" | "decisionId">): DecisionId {
  return charge.decisionId ?? `dec_${charge.id.slice("ch_".length)}`;
}

/**
 * Reports whether the charge was certainly never sent to an acquirer. This is the case if its risk decision declines
 * it, or requires an authentication that has not begun. Any other charge may have been sent, because the process that
 * recorded its intent may have died just before or just after it sent the request.
 */
export function wasNeverSent({ risk, version }: ProcessingCharge): boolean {
  return risk.outcome === "decline" || (risk.outcome === "challenge" && version === 1);
}

/**
 * Returns whether the charge is authorized without capture, because the merchant captures it later or must review it.
 */
export function isHeld({
  captureMethod,
  risk,
}: Pick<ChargeBase, "captureMethod" | "risk">): boolean {
  return captureMethod === "manual" || risk.outcome === "review";
}
