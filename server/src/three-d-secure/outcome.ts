import type { TransStatus } from "../processors/three-d-secure/eci.ts";
import type { ARes, RReq } from "../processors/three-d-secure/message.ts";

/** How an authentication ended, in the bank's words where there were any. */
export type Outcome = {
  readonly result: Result;
  /** Whether the cardholder was asked; null where it did not come to an answer. */
  readonly flow: "frictionless" | "challenge" | null;
  readonly transStatus: TransStatus | null;
  readonly transStatusReason: string | null;
  /** As the bank sent it. */
  readonly eci: string | null;
  /** The cryptogram for the acquirer. */
  readonly authenticationValue: string | null;
  readonly dsTransactionId: string | null;
};

/** Cancelled, failed and timed out are three different things. */
export type Result =
  | "authenticated"
  | "attempted"
  | "informational"
  | "unavailable"
  | "failed"
  | "rejected"
  | "canceled"
  | "timed_out";

const resultOf: Readonly<Record<TransStatus, Result>> = {
  Y: "authenticated",
  A: "attempted",
  N: "failed",
  R: "rejected",
  U: "unavailable",
  I: "informational",
};

/** An end that no bank spoke of. */
export function outcomeWithoutWord(
  result: "unavailable" | "canceled" | "timed_out",
  challenge: { readonly dsTransactionId: string } | null,
): Outcome {
  return {
    result,
    flow: challenge ? "challenge" : null,
    transStatus: null,
    transStatusReason: null,
    eci: null,
    authenticationValue: null,
    dsTransactionId: challenge?.dsTransactionId ?? null,
  };
}

/** What an ARes without a challenge means; null for one that asks for it. */
export function outcomeOfAnswer(ares: ARes): Outcome | null {
  const { transStatus } = ares;
  if (transStatus === "C") return null;
  const passed = transStatus === "Y" || transStatus === "A";
  return {
    result: resultOf[transStatus],
    flow: "frictionless",
    transStatus,
    transStatusReason: ares.transStatusReason ?? null,
    eci: ares.eci ?? null,
    // Some banks send one with a "no" as well. It proves nothing, and the "no" must not be lost over it.
    authenticationValue: passed ? (ares.authenticationValue ?? null) : null,
    dsTransactionId: ares.dsTransID,
  };
}

/** The verdict of a challenge. A "no" because nobody answered in time, or because they would not, is told apart. */
export function outcomeOfResult(rreq: RReq): Outcome {
  const { transStatus, challengeCancel, authenticationValue } = rreq;
  const passed = transStatus === "Y" || transStatus === "A";
  // A success without its cryptogram is none that the acquirer would take.
  const unproven = passed && !authenticationValue;
  return {
    result: unproven ? "unavailable" : passed ? resultOf[transStatus] : whyNot(rreq),
    flow: "challenge",
    transStatus: unproven ? "U" : transStatus,
    transStatusReason: rreq.transStatusReason ?? challengeCancel ?? null,
    eci: rreq.eci ?? null,
    authenticationValue: passed ? (authenticationValue ?? null) : null,
    dsTransactionId: rreq.dsTransID,
  };
}

/** EMV 3DS's `challengeCancel`: 01 the cardholder, 04 the bank's timeout, 05 no CReq came. */
function whyNot({ transStatus, challengeCancel }: RReq): Result {
  switch (challengeCancel) {
    case "01":
      return "canceled";
    case "04":
    case "05":
      return "timed_out";
    default:
      return resultOf[transStatus];
  }
}
