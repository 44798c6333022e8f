import type { CaptureMethod, PendingReason, ThreeDSecure } from "@florin/contract/charge.ts";
import type { DecisionOutcome } from "@florin/contract/decision.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardErrorCode } from "@florin/contract/errors.ts";
import type { DecisionFacts } from "../decisions/signals.ts";
import type { ShownCard } from "../payment-methods/shown-card.ts";
import type {
  BalanceTransactionId,
  ChargeId,
  CheckoutSessionId,
  CustomerId,
  DecisionId,
  PaymentMethodId,
  RequestId,
} from "../primitives/ids.ts";
import type { Money } from "../primitives/money.ts";
import type { Moves } from "../primitives/moves.ts";
import type { Owner } from "../primitives/owner.ts";
import type { CardChecks, ProcessorName } from "../processors/processor.ts";

/** A charge: one attempt to take one amount from one payment method (contract §5). */
export type Charge =
  | ProcessingCharge
  | ChallengedCharge
  | AuthorizedCharge
  | SucceededCharge
  | (ChargeFacts & {
      readonly status: "failed";
      readonly settledAt: Date;
      readonly failure: Failure;
    })
  | (ChargeFacts & { readonly status: "canceled"; readonly settledAt: Date });

/** Charges that can still move by what the outside world says. */
export type MovingCharge = ProcessingCharge | ChallengedCharge;

/** Waits for its cardholder to prove who they are. */
export type ChallengedCharge = ChargeFacts & { readonly status: "requires_action" };

export type ProcessingCharge = ChargeFacts & {
  readonly status: "processing";
  readonly pendingReason: PendingReason | null;
  /** Its reversal was begun. From then on only the reversal counts, and no approval that is heard of. */
  readonly undoing: boolean;
};

/** Approved and held, not yet taken. */
export type AuthorizedCharge = ChargeFacts & {
  readonly status: "authorized";
  readonly settledAt: Date;
  readonly captureBefore: Date;
  /** Set while its capture or its release is of unknown outcome. */
  readonly pendingReason: PendingReason | null;
};

export type SucceededCharge = ChargeFacts & {
  readonly status: "succeeded";
  readonly settledAt: Date;
  readonly capturedMinor: number;
  /** Given back, or on its way. */
  readonly refundedMinor: number;
  /** Taken by disputes that are open or lost. */
  readonly disputedMinor: number;
};

export type ChargeStatus = Charge["status"];

/** Where a charge may go. What comes back later (refunds, disputes) does not change that it succeeded. */
export const chargeMoves: Moves<ChargeStatus> = {
  processing: {
    requires_action: "the cardholder is to be authenticated",
    authorized: "approved, and held",
    succeeded: "approved and taken",
    failed: "declined, blocked or reversed",
  },
  requires_action: {
    processing: "3-D Secure lets it go on",
    failed: "not authenticated",
    canceled: "the merchant cancels it",
  },
  authorized: { succeeded: "captured", canceled: "let go" },
  succeeded: {},
  failed: {},
  canceled: {},
};

export type Failure = {
  readonly code: CardErrorCode;
  readonly declineCode: DeclineCode;
  readonly networkDeclineCode: string | null;
};

/** What is true of a charge in every state. */
export type ChargeFacts = {
  readonly id: ChargeId;
  readonly owner: Owner;
  /** Grows with every change, so that a reader can drop a stale event, and a writer finds out that it is late. */
  readonly version: number;
  readonly price: Money;
  readonly captureMethod: CaptureMethod;
  readonly processor: ProcessorName;
  readonly paymentMethodId: PaymentMethodId;
  readonly card: ShownCard;
  readonly checks: CardChecks | null;
  readonly threeDSecure: ThreeDSecure | null;
  /** As just heard with the approval: it is kept with the card that this payment saves, and not with the charge. */
  readonly networkTransactionId: string | null;
  readonly customerId: CustomerId | null;
  readonly checkoutSessionId: CheckoutSessionId | null;
  /** The decision the merchant asked for beforehand; null when the service made its own. */
  readonly decisionId: DecisionId | null;
  readonly risk: Risk;
  /** The merchant's own id for the order, copied from the checkout session if there is one. */
  readonly clientReferenceId: string | null;
  readonly description: string | null;
  readonly statementDescriptor: string | null;
  readonly offSession: boolean;
  readonly returnUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly request: { readonly id: RequestId; readonly idempotencyKey: string | null } | null;
  /** How often the acquirer was asked what became of it. */
  readonly inquiries: number;
};

/** Why the charge was let through, or not: the decision the service made of its own. */
export type Risk = {
  readonly outcome: DecisionOutcome;
  readonly score: number;
  readonly reasons: readonly string[];
  /** What it was made from, and the rules that held. */
  readonly facts: DecisionFacts | null;
};

/** The payment's balance transaction shares the charge's uuid, so the books cannot take it up twice. */
export function balanceTransactionIdOf(id: ChargeId): BalanceTransactionId {
  return `txn_${id.slice("ch_".length)}`;
}

/** The decision that explains this charge: the merchant's own, or the one that stands on the charge. */
export function decisionIdOf(charge: Pick<ChargeFacts, "id" | "decisionId">): DecisionId {
  return charge.decisionId ?? `dec_${charge.id.slice("ch_".length)}`;
}

/** Whether the money is held and not taken: for the merchant to capture it, or for a person to look at it first. */
export function isHeld({
  captureMethod,
  risk,
}: Pick<ChargeFacts, "captureMethod" | "risk">): boolean {
  return captureMethod === "manual" || risk.outcome === "review";
}
