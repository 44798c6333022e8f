import type { CardBrand } from "@florin/contract/payment-method.ts";
import type { ChallengeBehaviour } from "../three-d-secure-behaviour.ts";

/** One challenge in the simulated bank's books: what it asks, of whom, and what came of it. */
export type Challenge = {
  readonly acsTransactionId: string;
  readonly dsTransactionId: string;
  readonly threeDSServerTransactionId: string;
  readonly behaviour: ChallengeBehaviour;
  readonly brand: CardBrand;
  readonly last4: string;
  readonly merchantName: string;
  /** In the smallest unit, with `exponent` digits after the point; the currency is ISO 4217's number. */
  readonly amount: string;
  readonly currency: string;
  readonly exponent: number;
  readonly notificationUrl: string;
  readonly directoryUrl: string;
  readonly sessionData: string | null;
  readonly state: "waiting" | "asked" | "decided";
  readonly wrongCodes: number;
  readonly verdict: Verdict | null;
  /** When the bank gives up on the cardholder, or tries again to tell its result. */
  readonly dueAt: Date | null;
};

export type Verdict = {
  readonly transStatus: "Y" | "N";
  /** 01 the cardholder, 04 the bank's own timeout, 05 no CReq came. */
  readonly challengeCancel: "01" | "04" | "05" | null;
};

/** What the cardholder did on the bank's page; `nothing` where the page goes on by itself. */
export type Answer =
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "cancel" }
  | { readonly kind: "nothing" };

/** The code that the bank's text message would bring; the page shows it, for there is no telephone. */
export const rightCode = "123456";

/** After so many wrong codes it is not the cardholder. */
const mostWrongCodes = 3;

const passed: Verdict = { transStatus: "Y", challengeCancel: null };
const failed: Verdict = { transStatus: "N", challengeCancel: null };
const canceled: Verdict = { transStatus: "N", challengeCancel: "01" };

/** What the bank makes of the answer: a verdict, or another try. */
export function judge({ behaviour, wrongCodes }: Challenge, answer: Answer): Verdict | "again" {
  switch (behaviour) {
    case "person_decides":
      if (answer.kind === "cancel") return canceled;
      if (answer.kind === "code" && answer.code.replace(/\s/g, "") === rightCode) return passed;
      return wrongCodes + 1 < mostWrongCodes ? "again" : failed;
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

/** What the bank does when the cardholder does nothing: no CReq within 30 s, or no answer within 10 minutes. */
export function giveUp({ state }: Challenge): Verdict {
  return { transStatus: "N", challengeCancel: state === "waiting" ? "05" : "04" };
}

/** The letter of the CRes: the verdict's, but for the card whose browser brings a forged success. */
export function letterForBrowser({ behaviour }: Challenge, verdict: Verdict): "Y" | "N" {
  return behaviour === "forged_cres" ? "Y" : verdict.transStatus;
}
