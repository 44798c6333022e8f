import type { ThreeDSecure } from "@florin/contract/charge.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardErrorCode } from "@florin/contract/errors.ts";
import type { AuthenticationData } from "../../acquiring/processor.ts";
import { eciOf, shiftsLiability } from "../../acquiring/three-d-secure/eci.ts";
import { protocolVersion } from "../../acquiring/three-d-secure/message.ts";
import { assertNever } from "../../core/assert-never.ts";
import type { EndedAuthentication } from "./authentication.ts";
import type { Outcome } from "./outcome.ts";

/** The effect of an ended authentication on its charge, with the 3-D Secure fields to store. */
export type AuthenticationVerdict =
  | {
      readonly kind: "authorize";
      readonly threeDSecure: ThreeDSecure;
      readonly authenticationData: AuthenticationData | null;
    }
  | {
      readonly kind: "decline";
      readonly threeDSecure: ThreeDSecure;
      readonly code: CardErrorCode & DeclineCode;
    };

/**
 * Maps the outcome of an authentication to a verdict. Pure. Transaction statuses Y and A are authorized with the
 * authentication value, and I is authorized as an exemption. N and R are never authorized. U is authorized without
 * authentication data, unless the merchant requires 3-D Secure.
 */
export function verdictOf(ended: EndedAuthentication, demanded: boolean): AuthenticationVerdict {
  const { outcome } = ended;
  const threeDSecure = recordOf(ended);
  switch (outcome.result) {
    case "authenticated":
    case "attempted":
    case "informational":
      return {
        kind: "authorize",
        threeDSecure,
        authenticationData: authenticationDataOf(ended, threeDSecure),
      };
    case "unavailable":
      return demanded
        ? { kind: "decline", threeDSecure, code: "authentication_failed" }
        : { kind: "authorize", threeDSecure, authenticationData: null };
    case "failed":
    case "rejected":
      return { kind: "decline", threeDSecure, code: "authentication_failed" };
    case "canceled":
      return { kind: "decline", threeDSecure, code: "authentication_canceled" };
    case "timed_out":
      return { kind: "decline", threeDSecure, code: "authentication_timed_out" };
    default:
      return assertNever(outcome.result);
  }
}

/** The verdict for a charge whose authentication was not started before the deadline. */
export const timedOutVerdict: AuthenticationVerdict = {
  kind: "decline",
  code: "authentication_timed_out",
  threeDSecure: {
    version: protocolVersion,
    result: "timed_out",
    flow: null,
    eci: null,
    liability_shift: false,
    trans_status: null,
    ds_transaction_id: null,
  },
};

/** The verdict for a charge that was canceled before its authentication was started. */
export const canceledVerdict: AuthenticationVerdict = {
  ...timedOutVerdict,
  code: "authentication_canceled",
  threeDSecure: { ...timedOutVerdict.threeDSecure, result: "canceled" },
};

function recordOf({ version, brand, outcome }: EndedAuthentication): ThreeDSecure {
  const { result, flow, transStatus, eci, dsTransactionId } = outcome;
  return {
    version,
    result,
    flow,
    eci: eci ?? (transStatus && eciOf(brand, transStatus)),
    liability_shift: transStatus !== null && shiftsLiability(brand, transStatus, eci),
    trans_status: transStatus,
    ds_transaction_id: dsTransactionId,
  };
}

function authenticationDataOf(
  { version, outcome }: EndedAuthentication,
  { eci }: ThreeDSecure,
): AuthenticationData | null {
  const { transStatus, authenticationValue, dsTransactionId } = outcome;
  if (!isAuthenticationStatus(transStatus) || dsTransactionId === null) return null;
  return { version, transStatus, eci, authenticationValue, dsTransactionId };
}

function isAuthenticationStatus(
  status: Outcome["transStatus"],
): status is AuthenticationData["transStatus"] {
  return status === "Y" || status === "A" || status === "I";
}
