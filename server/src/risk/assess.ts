import type { DecisionOutcome } from "@florin/contract/decision.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardTraits } from "../acquiring/processor.ts";
import type { RuleId } from "../core/ids.ts";
import { type DecisionDetails, decisionDetails, type Signals } from "./signals.ts";

/** The verdict on a payment and the reasons for the verdict. Every decision contains an assessment. */
export type Assessment = {
  readonly verdict: DecisionOutcome;
  /**
   * True if the cardholder must be authenticated before the authorization. Can be true for the verdict `review` too.
   */
  readonly authenticate: boolean;
  /** The risk score, from 0 (no risk) to 100 (the highest risk). */
  readonly score: number;
  readonly reasons: readonly string[];
  readonly details: DecisionDetails | null;
  /**
   * The decline code, if the network blocked the card, a card limit applies (`withinCardLimits`), or authentication is
   * not possible. Absent if the risk score, a rule or a list is the reason for the decline.
   */
  readonly decline?: DeclineCode;
};

/**
 * Returns the assessment of a payment whose customer cannot be authenticated with 3-D Secure. A challenge becomes an
 * approval.
 */
export function withoutAuthentication(assessment: Assessment): Assessment {
  const verdict = assessment.verdict === "challenge" ? "approve" : assessment.verdict;
  return { ...assessment, verdict, authenticate: false };
}

/** The merchant's rules and lists that match a payment. */
export type Matches = {
  /** The list that matches the payment. `allow` if both lists match. */
  readonly list: "allow" | "block" | null;
  readonly rules: readonly { readonly id: RuleId; readonly outcome: DecisionOutcome }[];
};

export const noMatches: Matches = { list: null, rules: [] };

export type Scored = { readonly score: number; readonly reasons: readonly string[] };

/** Returns the decline code of a payment that the network has blocked, and nothing for any other payment. */
export function networkBlock(reasons: readonly string[]): Pick<Assessment, "decline"> {
  return reasons.includes(baseReasons.blocked) ? { decline: "fraudulent" } : {};
}

/**
 * The maximum of our own risk points. It is below the network's highest level, so that our own points alone send a
 * payment to review at most.
 */
const maxOwnScore = 74;

const baseScores = { normal: 10, elevated: 68, highest: 85, blocked: 99 } as const;
const baseReasons = {
  normal: null,
  elevated: "card_risk_elevated",
  highest: "card_risk_highest",
  blocked: "card_blocked",
} as const;

type Unscored = Omit<Signals, "risk_score" | "risk_level">;

/** The risk reasons with their points and conditions. docs/guides/decisions.md lists them. */
export const riskReasons: readonly (readonly [
  reason: string,
  points: number,
  holds: (s: Unscored) => boolean,
])[] = [
  ["card_velocity", 15, (s) => s.card_attempts_1h > 10],
  ["card_declined_before", 10, (s) => s.card_declines_24h >= 3],
  ["card_checks_failed_before", 10, (s) => s.card_mismatches_24h > 0],
  ["email_velocity", 10, (s) => s.email_attempts_1h > 10],
  ["ip_velocity", 15, (s) => s.ip_attempts_1h > 20],
  ["ip_declines", 15, (s) => s.ip_declines_24h >= 5],
  ["device_velocity", 10, (s) => s.device_attempts_1h > 20],
  ["card_country_differs_from_ip", 10, (s) => differ(s.card_country, s.ip_country)],
  ["card_country_differs_from_billing", 10, (s) => differ(s.card_country, s.billing_country)],
  ["amount_unusual", 10, (s) => s.amount_ratio > 10],
];

function differ(one: string, other: string): boolean {
  return one !== "" && other !== "" && one !== other;
}

/**
 * Returns the risk score and its reasons. The score is the base score of the card's risk level plus the points of each
 * reason that applies. The points raise the score to at most `maxOwnScore`.
 */
export function score(signals: Unscored, risk: CardTraits["risk"]): Scored {
  const base = baseScores[risk];
  const word = baseReasons[risk];
  let points = 0;
  const reasons: string[] = word ? [word] : [];
  for (const [reason, weight, holds] of riskReasons) {
    if (!holds(signals)) continue;
    points += weight;
    reasons.push(reason);
  }
  return { score: Math.max(base, Math.min(base + points, maxOwnScore)), reasons };
}

/**
 * Returns the verdict on a payment. Declines a card that the network has blocked. Otherwise an approval by the
 * merchant's rules or lists overrides every decline, review and challenge of its other rules and lists. Without an
 * approval, the stricter outcome of these rules and lists and of the risk level applies. The highest risk level is
 * declined, and an elevated one is reviewed. A payment that is neither declined nor reviewed is challenged if a rule or
 * the issuer requires authentication. Otherwise it is approved.
 */
export function assess(
  signals: Signals,
  risk: CardTraits["risk"],
  scored: Scored,
  matches: Matches,
): Assessment {
  const { rules } = matches;
  const someRule = (outcome: DecisionOutcome) => rules.some((rule) => rule.outcome === outcome);
  const allowed = matches.list === "allow" || someRule("approve");
  // An absent customer cannot be authenticated. The charge is authorized without 3-D Secure, and the issuer declines it
  // with `authentication_required` if it requires authentication. The merchant must then ask the customer to pay
  // on-session.
  const authenticate =
    !signals.off_session &&
    (signals.authentication_required || (!allowed && someRule("challenge")));
  const reasons = [...scored.reasons];
  if (matches.list) reasons.push(matches.list === "allow" ? "allow_list" : "block_list");
  if (signals.authentication_required && risk !== "blocked")
    reasons.push("card_requires_authentication");
  const verdict = verdictOf();
  return {
    verdict,
    authenticate: authenticate && verdict !== "decline",
    score: scored.score,
    reasons,
    details: decisionDetails(
      signals,
      rules.map(({ id }) => id),
    ),
    ...networkBlock(reasons),
  };

  function verdictOf(): DecisionOutcome {
    if (risk === "blocked") return "decline";
    if (!allowed) {
      const { risk_level } = signals;
      if (matches.list === "block" || someRule("decline") || risk_level === "highest") {
        return "decline";
      }
      if (someRule("review") || risk_level === "elevated") return "review";
    }
    return authenticate ? "challenge" : "approve";
  }
}
