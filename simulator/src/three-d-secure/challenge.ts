import type { CardBrand } from "@florin/contract/payment-method.ts";
import type { ChallengeBehavior } from "@florin/contract/test-card-three-d-secure.ts";

/** A challenge of the simulated ACS, with its payment, state and verdict. */
export type Challenge = {
  readonly acsTransactionId: string;
  readonly dsTransactionId: string;
  readonly threeDSServerTransactionId: string;
  readonly behavior: ChallengeBehavior;
  readonly brand: CardBrand;
  readonly last4: string;
  readonly merchantName: string;
  /** The amount in the smallest unit, with `exponent` decimal places. The currency is the ISO 4217 numeric code. */
  readonly amount: string;
  readonly currency: string;
  readonly exponent: number;
  readonly notificationUrl: string;
  readonly directoryUrl: string;
  readonly sessionData: string | null;
  readonly state: "created" | "displayed" | "completed";
  readonly wrongCodes: number;
  readonly verdict: Verdict | null;
  /** The time at which the ACS ends the challenge or, after the verdict, retries the RReq. */
  readonly dueAt: Date | null;
};

export type Verdict = {
  readonly transStatus: "Y" | "N";
  /** 01 canceled by the cardholder, 04 timeout at the ACS, 05 no CReq received. */
  readonly challengeCancel: "01" | "04" | "05" | null;
};

/** The cardholder's input on the challenge page. A page that continues automatically sends `nothing`. */
export type CardholderInput =
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "cancel" }
  | { readonly kind: "nothing" };

/** The one-time code. The page shows it, because the simulator sends no text message. */
export const rightCode = "123456";

/** The number of wrong codes after which the challenge fails. */
const maxWrongCodes = 3;

const passed: Verdict = { transStatus: "Y", challengeCancel: null };
const failed: Verdict = { transStatus: "N", challengeCancel: null };
const canceled: Verdict = { transStatus: "N", challengeCancel: "01" };

/** Returns the verdict on the cardholder's input, or `again` for another attempt. */
export function evaluateInput(
  { behavior, wrongCodes }: Challenge,
  input: CardholderInput,
): Verdict | "again" {
  switch (behavior) {
    case "person_decides":
      if (input.kind === "cancel") return canceled;
      if (input.kind === "code" && input.code.replace(/\s/g, "") === rightCode) return passed;
      return wrongCodes + 1 < maxWrongCodes ? "again" : failed;
    case "passes":
    case "rreq_never_comes":
      return passed;
    case "fails":
    case "forged_cres":
    case "creq_never_arrives":
      return failed;
    case "page_times_out":
      return { transStatus: "N", challengeCancel: "04" };
    case "canceled_on_page":
      return canceled;
  }
}

/** Returns the verdict after a timeout: no CReq within 30 s, or no input within 10 minutes. */
export function verdictAfterTimeout({ state }: Challenge): Verdict {
  return { transStatus: "N", challengeCancel: state === "created" ? "05" : "04" };
}

/** Returns the transStatus of the CRes, which differs from the verdict only for the test card with a forged CRes. */
export function cresTransStatus({ behavior }: Challenge, verdict: Verdict): "Y" | "N" {
  return behavior === "forged_cres" ? "Y" : verdict.transStatus;
}
