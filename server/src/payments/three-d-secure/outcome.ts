import type { TransStatus } from "../../acquiring/three-d-secure/eci.ts";
import type { ARes, RReq } from "../../acquiring/three-d-secure/message.ts";

/** The outcome of an authentication. It contains the issuer's values if a message from the issuer arrived. */
export type Outcome = {
  readonly result: Result;
  /** The flow of the authentication. Null if no response arrived. */
  readonly flow: "frictionless" | "challenge" | null;
  readonly transStatus: TransStatus | null;
  readonly transStatusReason: string | null;
  /** The ECI from the ACS's message. */
  readonly eci: string | null;
  /** The issuer's cryptogram for the acquirer. */
  readonly authenticationValue: string | null;
  readonly dsTransactionId: string | null;
};

/** The result of an authentication. A cancellation and a timeout are distinct from a failure. */
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

/** Returns the outcome of an authentication that ended without a result from the issuer. */
export function outcomeWithoutResult(
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

/** Returns the outcome of an ARes, or null if it requires a challenge. */
export function outcomeOfResponse(ares: ARes): Outcome | null {
  const { transStatus } = ares;
  if (transStatus === "C") return null;
  const passed = transStatus === "Y" || transStatus === "A";
  return {
    result: resultOf[transStatus],
    flow: "frictionless",
    transStatus,
    transStatusReason: ares.transStatusReason ?? null,
    eci: ares.eci ?? null,
    // Ignores the cryptogram that some ACSs send with a failure. The outcome must remain a failure.
    authenticationValue: passed ? (ares.authenticationValue ?? null) : null,
    dsTransactionId: ares.dsTransID,
  };
}

/** Returns the outcome of a challenge. */
export function outcomeOfResult(rreq: RReq): Outcome {
  const { transStatus, challengeCancel, authenticationValue } = rreq;
  const passed = transStatus === "Y" || transStatus === "A";
  // A success without a cryptogram is recorded as `unavailable`, because the acquirer would reject it.
  const withoutCryptogram = passed && !authenticationValue;
  return {
    result: withoutCryptogram
      ? "unavailable"
      : passed
        ? resultOf[transStatus]
        : resultOfFailure(rreq),
    flow: "challenge",
    transStatus: withoutCryptogram ? "U" : transStatus,
    transStatusReason: rreq.transStatusReason ?? challengeCancel ?? null,
    eci: rreq.eci ?? null,
    authenticationValue: passed ? (authenticationValue ?? null) : null,
    dsTransactionId: rreq.dsTransID,
  };
}

/**
 * Maps the EMV 3DS element `challengeCancel`: 01 canceled by the cardholder, 04 timeout at the ACS, 05 no CReq
 * received.
 */
function resultOfFailure({ transStatus, challengeCancel }: RReq): Result {
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
