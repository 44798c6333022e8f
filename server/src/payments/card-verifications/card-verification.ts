import type { ThreeDSecure } from "@florin/contract/charge.ts";
import type {
  AuthorizationDetails,
  AuthorizationOutcome,
  CardChecks,
} from "../../acquiring/outcome.ts";
import type { ProcessorName } from "../../acquiring/processor.ts";
import type { MaskedCard } from "../../cards/payment-methods/masked-card.ts";
import {
  type NewCardDetails,
  newCardDetails,
} from "../../cards/payment-methods/new-card-details.ts";
import { assertNever } from "../../core/assert-never.ts";
import type {
  AssignmentId,
  CheckoutSessionId,
  CustomerId,
  PaymentMethodId,
  RequestId,
  VerificationId,
} from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Transitions } from "../../core/transitions.ts";
import { declinedFailure, processingError } from "../charges/apply-response.ts";
import type { Charge, Failure, Risk } from "../charges/charge.ts";

/**
 * An attempt to verify a card in a session of mode `setup`. The card is saved if the issuer approves it. No money
 * moves, so an attempt whose outcome is lost fails, and the customer can try again.
 */
export type CardVerification = PendingVerification | SucceededVerification | FailedVerification;

/** A verification that a response of the acquirer or the issuer can still change. */
export type PendingVerification = ProcessingVerification | ChallengedVerification;

export type ProcessingVerification = VerificationBase & { readonly status: "processing" };

/** A verification that waits for the cardholder's 3-D Secure authentication. */
export type ChallengedVerification = VerificationBase & { readonly status: "requires_action" };

export type SucceededVerification = VerificationBase & {
  readonly status: "succeeded";
  readonly finalizedAt: Date;
  /** The network transaction ID, to which later payments with the card refer. Null if the acquirer returns none. */
  readonly networkTransactionId: string | null;
  /** The details of the card that the acquirer's response contained. They are stored with the payment method. */
  readonly newDetails: NewCardDetails | null;
};

export type FailedVerification = VerificationBase & {
  readonly status: "failed";
  readonly finalizedAt: Date;
  readonly failure: Failure;
};

export type VerificationStatus = CardVerification["status"];

export const verificationTransitions: Transitions<VerificationStatus> = {
  processing: {
    requires_action: "3-D Secure required",
    succeeded: "approved, and the card is saved",
    failed: "declined, blocked, or the outcome was lost",
  },
  requires_action: { processing: "3-D Secure completed", failed: "3-D Secure failed" },
  succeeded: {},
  failed: {},
};

export type VerificationBase = {
  readonly id: VerificationId;
  readonly scope: Scope;
  /** Incremented by every transition. Writers use it to detect conflicts. */
  readonly version: number;
  /** Zero, in the session's currency. */
  readonly price: Money;
  readonly processor: ProcessorName;
  /** The merchant's assignment to a connection to the acquirer. Null in test mode, which uses the simulator. */
  readonly assignmentId: AssignmentId | null;
  readonly acquirerReference: string | null;
  readonly paymentMethodId: PaymentMethodId;
  readonly card: MaskedCard;
  readonly checks: CardChecks | null;
  readonly threeDSecure: ThreeDSecure | null;
  readonly customerId: CustomerId;
  readonly checkoutSessionId: CheckoutSessionId;
  readonly risk: Risk;
  readonly requestId: RequestId;
};

/** An attempt to charge a card or to verify it. */
export type Attempt = Charge | CardVerification;

export function isVerification(attempt: Attempt): attempt is CardVerification {
  return attempt.id.startsWith("cv_");
}

/** Returns the verification after an acquirer response. Pure. */
export function verificationAfter(
  verification: ProcessingVerification,
  response: AuthorizationOutcome,
  now: Date,
): CardVerification {
  const version = verification.version + 1;
  switch (response.kind) {
    case "approved": {
      const { networkTransactionId } = response.details;
      const acquirer = acquirerFields(verification, response.details);
      return {
        ...verification,
        ...acquirer,
        version,
        status: "succeeded",
        finalizedAt: now,
        networkTransactionId,
        newDetails: newCardDetails(verification.card, response.details, null),
      };
    }
    case "declined": {
      const acquirer = acquirerFields(verification, response.details);
      return { ...failVerification(verification, declinedFailure(response), now), ...acquirer };
    }
    case "requires_action":
      return {
        ...verification,
        version,
        status: "requires_action",
        acquirerReference: response.acquirerReference ?? verification.acquirerReference,
      };
    case "rejected":
    case "not_sent":
    case "pending":
    case "unknown":
      // The acquirer may have approved the card. The approval holds no money, and without its network transaction ID
      // the card cannot be saved. The customer tries again.
      return failVerification(verification, processingError, now);
    default:
      return assertNever(response);
  }
}

function acquirerFields(
  { acquirerReference }: VerificationBase,
  details: AuthorizationDetails,
): Pick<VerificationBase, "checks" | "acquirerReference"> {
  return {
    checks: details.checks,
    acquirerReference: details.acquirerReference ?? acquirerReference,
  };
}

/** Returns the verification that waits for the cardholder's authentication. */
export function challengeVerification(
  verification: ProcessingVerification,
): ChallengedVerification {
  return { ...verification, version: verification.version + 1, status: "requires_action" };
}

/** Returns the verification after the cardholder's authentication. */
export function resumeVerification(
  verification: ChallengedVerification,
  threeDSecure: ThreeDSecure | null,
): ProcessingVerification {
  return {
    ...verification,
    version: verification.version + 1,
    status: "processing",
    threeDSecure: threeDSecure ?? verification.threeDSecure,
  };
}

export function failVerification(
  verification: PendingVerification,
  failure: Failure,
  now: Date,
): FailedVerification {
  return {
    ...verification,
    version: verification.version + 1,
    status: "failed",
    finalizedAt: now,
    failure,
  };
}
