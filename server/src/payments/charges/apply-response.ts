import { type DeclineCode, declineCodes } from "@florin/contract/declines.ts";
import type { ProcessorResponse } from "../../acquiring/processor.ts";
import { unreachable } from "../../core/unreachable.ts";
import { type Charge, type Failure, isHeld, type ProcessingCharge } from "./charge.ts";

/** The time limit for the capture of an authorization: the seven days that card networks allow online. */
export const authorizationLifeMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns the charge after an acquirer response. Pure. The same function applies the response of the request, of an
 * inquiry and of a notice.
 */
export function chargeAfterResponse(
  charge: ProcessingCharge,
  response: ProcessorResponse,
  now: Date,
): Charge {
  const next = { ...charge, version: charge.version + 1 };
  switch (response.kind) {
    case "approved": {
      const { checks, networkTransactionId } = response;
      const final = { ...next, finalizedAt: now, checks, networkTransactionId };
      if (isHeld(charge)) {
        const captureBefore = new Date(now.getTime() + authorizationLifeMs);
        return { ...final, status: "authorized", captureBefore, pendingReason: null };
      }
      return {
        ...final,
        status: "succeeded",
        capturedMinor: response.approvedMinor,
        refundedMinor: 0,
        disputedMinor: 0,
      };
    }
    case "declined": {
      const failure: Failure = {
        code: declineCodes[response.declineCode].errorCode,
        declineCode: response.declineCode,
        networkDeclineCode: response.networkDeclineCode,
      };
      return { ...next, status: "failed", finalizedAt: now, failure, checks: response.checks };
    }
    case "not_sent":
      // The request never left this machine, so no money moved: the only case in which a missing response is a failure.
      return { ...next, status: "failed", finalizedAt: now, failure: processingError };
    case "pending":
      return { ...next, status: "processing", pendingReason: "acquirer_processing" };
    case "unknown":
      // A timeout is not a decline: the issuer may have approved. The charge stays in processing until a status inquiry
      // with the same reference returns the outcome.
      return { ...next, status: "processing", pendingReason: "outcome_unknown" };
    default:
      return unreachable(response);
  }
}

/**
 * Applies an acquirer response. Returns null for an approval while a reversal is pending, so that the charge stays
 * unchanged until the reversal is confirmed.
 */
export function applyResponse(
  charge: ProcessingCharge,
  response: ProcessorResponse,
  now: Date,
): Charge | null {
  return charge.reversalPending && response.kind === "approved"
    ? null
    : chargeAfterResponse(charge, response, now);
}

/** Restarts the inquiries of a charge in manual review. Returns null for any other charge. */
export function restartInquiries(charge: ProcessingCharge): ProcessingCharge | null {
  if (charge.pendingReason !== "manual_review") return null;
  const version = charge.version + 1;
  return { ...charge, version, pendingReason: "outcome_unknown", inquiries: 0 };
}

/** The failure of a charge that never reached the issuer. A later retry may succeed. */
export const processingError: Failure = {
  code: "processing_error",
  declineCode: "processing_error",
  networkDeclineCode: null,
};

/**
 * Fails a charge that is not sent to the acquirer. `declineCode` is the reason where it is not a decision of the
 * merchant or the service: the network's block, or a card that must not be retried.
 */
export function block(charge: ProcessingCharge, now: Date, declineCode?: DeclineCode): Charge {
  const failure: Failure = {
    code: declineCode ? declineCodes[declineCode].errorCode : "blocked_by_decision",
    declineCode: declineCode ?? "fraudulent",
    networkDeclineCode: null,
  };
  return { ...charge, version: charge.version + 1, status: "failed", finalizedAt: now, failure };
}

/** Returns the charge after its authentication is required, before the acquirer is called. */
export function requireAction(charge: ProcessingCharge): Charge {
  return { ...charge, version: charge.version + 1, status: "requires_action" };
}
