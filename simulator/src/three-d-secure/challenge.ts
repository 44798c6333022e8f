import type { CardBrand } from "@florin/contract/payment-method.ts";
import type { ChallengeBehaviour } from "@florin/contract/test-card-three-d-secure.ts";

/** A challenge of the simulated ACS: its payment, its state and its verdict. */
export type Challenge = {
  readonly acsTransactionId: string;
  readonly dsTransactionId: string;
  readonly threeDSServerTransactionId: string;
  readonly behaviour: ChallengeBehaviour;
  readonly brand: CardBrand;
  readonly last4: string;
  readonly merchantName: string;
  /** In the smallest unit, with `exponent` decimal places. The currency is the ISO 4217 numeric code. */
  readonly amount: string;
  readonly currency: string;
  readonly exponent: number;
  readonly notificationUrl: string;
  readonly directoryUrl: string;
  readonly sessionData: string | null;
  readonly state: "created" | "displayed" | "completed";
  readonly wrongCodes: number;
  readonly verdict: Verdict | null;
  /** When the ACS ends the challenge, or retries the RReq. */
  readonly dueAt: Date | null;
};

export type Verdict = {
  readonly transStatus: "Y" | "N";
  /** 01 canceled by the cardholder, 04 timeout at the ACS, 05 no CReq received. */
  readonly challengeCancel: "01" | "04" | "05" | null;
};

/** The cardholder's input on the challenge page. `nothing` is sent by a page that continues automatically. */
export type CardholderInput =
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "cancel" }
  | { readonly kind: "nothing" };

/** The one-time code. The page shows it, because the simulator sends no text message. */
export const rightCode = "123456";

/** After this number of wrong codes the challenge fails. */
const maxWrongCodes = 3;

const passed: Verdict = { transStatus: "Y", challengeCancel: null };
const failed: Verdict = { transStatus: "N", challengeCancel: null };
const canceled: Verdict = { transStatus: "N", challengeCancel: "01" };

/** Returns the verdict on the cardholder's input, or `again` for another attempt. */
export function evaluateInput(
  { behaviour, wrongCodes }: Challenge,
  input: CardholderInput,
): Verdict | "again" {
  switch (behaviour) {
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
export function giveUp({ state }: Challenge): Verdict {
  return { transStatus: "N", challengeCancel: state === "created" ? "05" : "04" };
}

/** Returns the transStatus of the CRes: that of the verdict, except for the card with a forged success. */
export function cresTransStatus({ behaviour }: Challenge, verdict: Verdict): "Y" | "N" {
  return behaviour === "forged_cres" ? "Y" : verdict.transStatus;
}
