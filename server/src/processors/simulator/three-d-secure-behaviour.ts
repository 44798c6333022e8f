import type { CredentialUse } from "../processor.ts";

/** How a test card's bank behaves in 3-D Secure: what the simulator's directory server and ACS play from. */
export type ThreeDSecureBehaviour = {
  /**
   * `required`: the bank declines a payment without it. `unless_saved`: not for a card that was saved before.
   * `on_session`: whenever the customer is there. `supported`: only when the merchant asks.
   */
  readonly need: "required" | "unless_saved" | "on_session" | "supported";
  /** The bank's hidden page before the AReq: none, it posts back, or it stays silent for 10 s. */
  readonly method: "none" | "answers" | "times_out";
  /** The transStatus of the ARes; or the look-up, or the directory server, gives none at all. */
  readonly answer: "Y" | "N" | "A" | "R" | "I" | "U" | "C" | "times_out" | "look_up_fails";
  /** What happens on the bank's page; null where the answer is not `C`. */
  readonly challenge: ChallengeBehaviour | null;
};

export type ChallengeBehaviour =
  | "person_decides"
  | "passes"
  | "fails"
  | "page_times_out"
  | "canceled_on_page"
  | "rreq_never_comes"
  | "forged_cres"
  | "creq_never_arrives";

export type ThreeDSecureResult =
  | "authenticated"
  | "attempted"
  | "informational"
  | "unavailable"
  | "rejected"
  | "authentication_failed"
  | "authentication_timed_out"
  | "authentication_canceled"
  | "person_decides"
  | "processing_error";

/** How 3-D Secure must end with this card (EMV 3DS: only the ARes and the RReq decide, never the CRes). */
export function expectedResult({ answer, challenge }: ThreeDSecureBehaviour): ThreeDSecureResult {
  return challenge ? resultOfChallenge[challenge] : resultOfAnswer[answer];
}

const resultOfAnswer: Readonly<Record<ThreeDSecureBehaviour["answer"], ThreeDSecureResult>> = {
  Y: "authenticated",
  N: "authentication_failed",
  A: "attempted",
  R: "rejected",
  I: "informational",
  U: "unavailable",
  C: "person_decides",
  times_out: "unavailable",
  look_up_fails: "processing_error",
};

const resultOfChallenge: Readonly<Record<ChallengeBehaviour, ThreeDSecureResult>> = {
  person_decides: "person_decides",
  passes: "authenticated",
  fails: "authentication_failed",
  page_times_out: "authentication_timed_out",
  canceled_on_page: "authentication_canceled",
  rreq_never_comes: "authentication_timed_out",
  forged_cres: "authentication_failed",
  creq_never_arrives: "authentication_timed_out",
};

/** Whether the bank wants the holder of this card authenticated for such a payment; a saved card is asked for less. */
export function bankAsks({ need }: ThreeDSecureBehaviour, use: CredentialUse): boolean {
  const refersToSaving = use.kind === "saved" && use.networkTransactionId !== null;
  switch (need) {
    case "required":
      return true;
    case "supported":
      return false;
    case "unless_saved":
      return !refersToSaving;
    case "on_session":
      return !(refersToSaving && use.initiatedBy === "merchant");
  }
}

/**
 * Whether the bank declines this payment because nobody was authenticated. A bank that could not, or would not,
 * authenticate lets the payment through without a shift of liability; one that could insists.
 */
export function bankInsists(
  behaviour: ThreeDSecureBehaviour,
  use: CredentialUse = { kind: "once" },
): boolean {
  if (!bankAsks(behaviour, use)) return false;
  const result = expectedResult(behaviour);
  return result !== "attempted" && result !== "informational" && result !== "unavailable";
}
