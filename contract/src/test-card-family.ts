import { luhnCheckDigit } from "./luhn.ts";
import type { ChallengeBehavior, ThreeDSecureBehavior } from "./test-card-three-d-secure.ts";

export type FamilyCard = {
  readonly number: string;
  readonly description: string;
  readonly threeDSecure: ThreeDSecureBehavior;
};

/**
 * The scheme of the card numbers is `4000 003M AC00 000x`. M, A and C are indexes into these lists, and x is the check
 * digit.
 */
const methods: readonly (readonly [ThreeDSecureBehavior["method"], string])[] = [
  ["none", "no method page"],
  ["responds", "method page responds"],
  ["times_out", "method page times out"],
];

const areqOutcomes: readonly (readonly [ThreeDSecureBehavior["areqOutcome"], string])[] = [
  ["Y", "authenticated without a challenge"],
  ["N", "not authenticated"],
  ["A", "attempted"],
  ["R", "rejected"],
  ["I", "informational"],
  ["U", "unavailable"],
  ["times_out", "the directory server times out"],
  ["C", "challenge"],
];

const challenges: readonly (readonly [ChallengeBehavior, string])[] = [
  ["person_decides", "you enter the code"],
  ["passes", "passes automatically"],
  ["fails", "fails automatically"],
  ["page_times_out", "the issuer's page times out"],
  ["canceled_on_page", "canceled on the issuer's page"],
  ["rreq_never_comes", "the issuer never sends the result"],
  ["forged_cres", "the browser posts a forged success, which Florin rejects"],
  ["creq_never_arrives", "the challenge request never arrives"],
];

/** Every card of the scheme. C is 0 unless the issuer requires a challenge. */
export const threeDSecureFamily: readonly FamilyCard[] = areqOutcomes.flatMap((_, a) =>
  (areqOutcomes[a]?.[0] === "C" ? challenges : [null]).flatMap((_, c) =>
    methods.map((_, m) => familyCard(m, a, c)),
  ),
);

function familyCard(m: number, a: number, c: number): FamilyCard {
  const [method, methodWords] = methods[m] as (typeof methods)[number];
  const [areqOutcome, outcomeWords] = areqOutcomes[a] as (typeof areqOutcomes)[number];
  const [behavior, challengeWords] = challenges[c] as (typeof challenges)[number];
  const digits = `4000003${m}${a}${c}00000`;
  const challenge = areqOutcome === "C" ? behavior : null;
  return {
    number: digits + luhnCheckDigit(digits),
    description: `${challenge ? `Challenge: ${challengeWords}` : outcomeWords[0]?.toUpperCase() + outcomeWords.slice(1)} (${methodWords})`,
    threeDSecure: { need: "required", method, areqOutcome, challenge },
  };
}
