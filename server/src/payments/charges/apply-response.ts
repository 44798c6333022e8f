import { type DeclineCode, declineCodes } from "@florin/contract/declines.ts";
import type {
  AuthorizationDetails,
  AuthorizationOutcome,
  Decline,
} from "../../acquiring/outcome.ts";
import { newCardDetails, withIdentity } from "../../cards/payment-methods/new-card-details.ts";
import { assertNever } from "../../core/assert-never.ts";
import {
  type Charge,
  type FailedCharge,
  type Failure,
  isHeld,
  type PendingCharge,
  type ProcessingCharge,
} from "./charge.ts";

/**
 * The validity of an authorization. The charge must be captured within the seven days that card networks allow for
 * online payments.
 */
export const authorizationLifeMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns the charge after an acquirer response. Pure. The response may come from the authorization request, a status
 * inquiry or a notification.
 */
export function chargeAfterResponse(
  charge: ProcessingCharge,
  response: AuthorizationOutcome,
  now: Date,
): Charge {
  const version = charge.version + 1;
  switch (response.kind) {
    case "approved": {
      const { networkTransactionId } = response.details;
      const acquirer = acquirerFields(charge, response.details, null);
      if (isHeld(charge)) {
        return {
          ...charge,
          version,
          ...acquirer,
          finalizedAt: now,
          networkTransactionId,
          status: "authorized",
          captureBefore: new Date(now.getTime() + authorizationLifeMs),
          pendingReason: null,
        };
      }
      return {
        ...charge,
        version,
        ...acquirer,
        finalizedAt: now,
        networkTransactionId,
        status: "succeeded",
        capturedMinor: response.approvedMinor,
        refundedMinor: 0,
        disputedMinor: 0,
      };
    }
    case "declined": {
      const acquirer = acquirerFields(charge, response.details, response.code);
      return { ...failWith(charge, declinedFailure(response), now), ...acquirer };
    }
    case "rejected":
    case "not_sent":
      // The acquirer has certainly not processed the request, so no money moved. All other kinds of response without a
      // decision may still lead to an approval, so they do not fail the charge.
      return failWith(charge, processingError, now);
    case "requires_action":
      return {
        ...charge,
        version,
        status: "requires_action",
        acquirerReference: referenceOf(charge, response),
      };
    case "pending": {
      const acquirerReference = referenceOf(charge, response);
      // While a reversal is pending, this response concerns the reversal. The acquirer may never have received the
      // charge.
      const pendingReason = charge.reversalPending ? "outcome_unknown" : "acquirer_processing";
      return { ...charge, version, status: "processing", pendingReason, acquirerReference };
    }
    case "unknown":
      // A timeout is not a decline: the issuer may have approved. The charge stays in processing until a status inquiry
      // with the same reference returns the outcome.
      return { ...charge, version, status: "processing", pendingReason: "outcome_unknown" };
    default:
      return assertNever(response);
  }
}

/** Returns the fields of a charge that an acquirer's decision sets. */
function acquirerFields(
  charge: ProcessingCharge,
  details: AuthorizationDetails,
  decline: DeclineCode | null,
) {
  const { checks, authorizationCode, eci, liabilityShifted, networkAdviceCode } = details;
  const issuerCountry = charge.card.country === null ? details.card.country : null;
  const known = { authorizationCode, eci, liabilityShifted, networkAdviceCode, issuerCountry };
  const hasDetails = Object.values(known).some((value) => value !== null);
  const newDetails = newCardDetails(charge.card, details, decline);
  return {
    card: withIdentity(charge.card, newDetails),
    checks,
    acquirerReference: referenceOf(charge, details),
    acquirerDetails: hasDetails ? known : null,
    newDetails,
  };
}

/** Returns the acquirer's reference from the response, or else from an earlier response. */
function referenceOf(
  charge: ProcessingCharge,
  { acquirerReference }: { readonly acquirerReference: string | null },
): string | null {
  return acquirerReference ?? charge.acquirerReference;
}

/**
 * Applies an acquirer response. While a reversal is pending, an approval only adds the acquirer's reference, because
 * the charge waits until the acquirer confirms the reversal. Returns null if the approval adds nothing.
 */
export function applyResponse(
  charge: ProcessingCharge,
  response: AuthorizationOutcome,
  now: Date,
): Charge | null {
  if (!charge.reversalPending || response.kind !== "approved") {
    return chargeAfterResponse(charge, response, now);
  }
  const acquirerReference = referenceOf(charge, response.details);
  if (acquirerReference === charge.acquirerReference) return null;
  return { ...charge, version: charge.version + 1, acquirerReference };
}

/** Restarts the inquiries of a charge in manual review. Returns null for any other charge. */
export function restartInquiries(charge: ProcessingCharge): ProcessingCharge | null {
  if (charge.pendingReason !== "manual_review") return null;
  return {
    ...charge,
    version: charge.version + 1,
    pendingReason: "outcome_unknown",
    inquiries: 0,
    inquiryRestarts: charge.inquiryRestarts + 1,
  };
}

/**
 * Fails a charge in manual review, because an operator has not found it at the acquirer. Returns null for any other
 * charge.
 */
export function failUnconfirmed(charge: Charge, now: Date): FailedCharge | null {
  if (charge.status !== "processing" || charge.pendingReason !== "manual_review") return null;
  return { ...failWith(charge, processingError, now), unconfirmed: true };
}

/** The failure of a charge that the issuer has neither approved nor declined. A later charge may succeed. */
export const processingError: Failure = {
  code: "processing_error",
  declineCode: "processing_error",
  networkDeclineCode: null,
};

/**
 * Fails a charge without sending it to the acquirer. `declineCode` is set if the network blocks the card or the card
 * must not be retried. It is absent if the risk decision blocked the charge.
 */
export function block(charge: ProcessingCharge, now: Date, declineCode?: DeclineCode): Charge {
  return failWith(charge, blockedFailure(declineCode), now);
}

/** Returns the failure of an attempt that the network, the card limits or the risk decision blocked. */
export function blockedFailure(declineCode: DeclineCode | undefined): Failure {
  return {
    code: declineCode ? declineCodes[declineCode].errorCode : "blocked_by_decision",
    declineCode: declineCode ?? "fraudulent",
    networkDeclineCode: null,
  };
}

/** Returns the failure of an attempt that the issuer declined. */
export function declinedFailure({ code, networkDeclineCode }: Decline): Failure {
  return { code: declineCodes[code].errorCode, declineCode: code, networkDeclineCode };
}

/** Returns the charge as failed with the given failure. */
export function failWith(charge: PendingCharge, failure: Failure, now: Date): FailedCharge {
  return {
    ...charge,
    version: charge.version + 1,
    status: "failed",
    finalizedAt: now,
    failure,
    unconfirmed: false,
    failureEntry: null,
  };
}

/** Moves the charge to `requires_action`: the cardholder must authenticate before the acquirer is called. */
export function requireAction(charge: ProcessingCharge): Charge {
  return { ...charge, version: charge.version + 1, status: "requires_action" };
}
