import { type DeclineCode, declineCodes } from "@florin/contract/declines.ts";
import { unreachable } from "../primitives/unreachable.ts";
import type { ProcessorAnswer } from "../processors/processor.ts";
import { type Charge, type Failure, isHeld, type ProcessingCharge } from "./charge.ts";

/** How long an authorisation may wait for its capture: the seven days that card networks allow online. */
export const authorizationLifeMs = 7 * 24 * 60 * 60 * 1000;

/**
 * What a processing charge becomes by what was learnt. Pure: the clock and the outside's answer come in as
 * values, and every case is named. The same function serves the answer in the request, an inquiry and an
 * acquirer's notice.
 */
export function settle(charge: ProcessingCharge, answer: ProcessorAnswer, now: Date): Charge {
  const facts = { ...charge, version: charge.version + 1 };
  switch (answer.kind) {
    case "approved": {
      const { checks, networkTransactionId } = answer;
      const heard = { ...facts, settledAt: now, checks, networkTransactionId };
      if (isHeld(charge)) {
        const captureBefore = new Date(now.getTime() + authorizationLifeMs);
        return { ...heard, status: "authorized", captureBefore, pendingReason: null };
      }
      return {
        ...heard,
        status: "succeeded",
        capturedMinor: answer.approvedMinor,
        refundedMinor: 0,
        disputedMinor: 0,
      };
    }
    case "declined": {
      const failure: Failure = {
        code: declineCodes[answer.declineCode].errorCode,
        declineCode: answer.declineCode,
        networkDeclineCode: answer.networkDeclineCode,
      };
      return { ...facts, status: "failed", settledAt: now, failure, checks: answer.checks };
    }
    case "not_sent":
      // Nothing left this machine, so nothing can have moved: the one case in which silence is a no.
      return { ...facts, status: "failed", settledAt: now, failure: processingError };
    case "pending":
      return { ...facts, status: "processing", pendingReason: "acquirer_processing" };
    case "unknown":
      // A timeout is not a refusal: the bank may have taken the money. The charge waits in processing
      // until an inquiry, asked under the same reference, tells.
      return { ...facts, status: "processing", pendingReason: "outcome_unknown" };
    default:
      return unreachable(answer);
  }
}

/**
 * What is heard of a charge, from whomever. Null for an approval of one that is being undone: it will not stand,
 * and the charge stays as it is until the reversal is confirmed.
 */
export function hear(charge: ProcessingCharge, answer: ProcessorAnswer, now: Date): Charge | null {
  return charge.undoing && answer.kind === "approved" ? null : settle(charge, answer, now);
}

/** What was given up is asked about anew, from the first inquiry on. Null for what was not. */
export function chargeTakenUp(charge: ProcessingCharge): ProcessingCharge | null {
  if (charge.pendingReason !== "manual_review") return null;
  const version = charge.version + 1;
  return { ...charge, version, pendingReason: "outcome_unknown", inquiries: 0 };
}

/** The failure of a charge that never happened at the bank: retrying it later may well succeed. */
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
  return { ...charge, version: charge.version + 1, status: "failed", settledAt: now, failure };
}

/** The cardholder has to prove who they are before the acquirer is asked. */
export function requireAction(charge: ProcessingCharge): Charge {
  return { ...charge, version: charge.version + 1, status: "requires_action" };
}
