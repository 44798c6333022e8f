/** The 3-D Secure behavior of a test card's issuer, for the simulated directory server and ACS. */
export type ThreeDSecureBehavior = {
  /**
   * The payments for which the issuer requires 3-D Secure. `required`: every payment. `unless_saved`: every payment
   * except with a card saved earlier. `on_session`: a payment while the customer is present. `supported`: none, so that
   * only the merchant can request it.
   */
  readonly need: "required" | "unless_saved" | "on_session" | "supported";
  /**
   * The issuer's hidden 3DS method page before the AReq: there is no page, the page posts back, or it sends nothing for
   * 10 s.
   */
  readonly method: "none" | "responds" | "times_out";
  /**
   * The transStatus of the ARes. `times_out`: the directory server returns no ARes. `look_up_fails`: the directory
   * server has no range for the card.
   */
  readonly areqOutcome: "Y" | "N" | "A" | "R" | "I" | "U" | "C" | "times_out" | "look_up_fails";
  /** The behavior of the challenge page. Null unless `areqOutcome` is `C`. */
  readonly challenge: ChallengeBehavior | null;
};

export type ChallengeBehavior =
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

/** Returns the expected result with this card. Only the ARes and the RReq determine it, never the CRes (EMV 3DS). */
export function expectedResult({
  areqOutcome,
  challenge,
}: ThreeDSecureBehavior): ThreeDSecureResult {
  return challenge ? resultOfChallenge[challenge] : resultOfAreqOutcome[areqOutcome];
}

const resultOfAreqOutcome: Readonly<
  Record<ThreeDSecureBehavior["areqOutcome"], ThreeDSecureResult>
> = {
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

const resultOfChallenge: Readonly<Record<ChallengeBehavior, ThreeDSecureResult>> = {
  person_decides: "person_decides",
  passes: "authenticated",
  fails: "authentication_failed",
  page_times_out: "authentication_timed_out",
  canceled_on_page: "authentication_canceled",
  rreq_never_comes: "authentication_timed_out",
  forged_cres: "authentication_failed",
  creq_never_arrives: "authentication_timed_out",
};
