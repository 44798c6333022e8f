import type { ThreeDSecure } from "@florin/contract/charge.ts";
import {
  type Decision as DecisionObject,
  type DecisionOutcome,
  type DecisionStatus,
  decisionLifetimeSeconds,
  type ReviewStatus,
} from "@florin/contract/decision.ts";
import { unixSeconds } from "../primitives/clock.ts";
import {
  type ChargeId,
  type CustomerId,
  createdAt,
  type DecisionId,
  type PaymentMethodId,
} from "../primitives/ids.ts";
import type { Money } from "../primitives/money.ts";
import type { Moves } from "../primitives/moves.ts";
import type { Owner } from "../primitives/owner.ts";
import { riskLevel } from "./risk-level.ts";
import type { DecisionFacts } from "./signals.ts";

/** What the service thinks of one payment, and what is to be done about it (contract §5). */
export type Decision = {
  readonly id: DecisionId;
  readonly owner: Owner;
  readonly price: Money;
  readonly paymentMethodId: PaymentMethodId;
  readonly customerId: CustomerId | null;
  readonly ip: string | null;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly outcome: DecisionOutcome;
  readonly score: number;
  readonly reasons: readonly string[];
  /** Whether the cardholder must be authenticated. */
  readonly authenticate: boolean;
  readonly facts: DecisionFacts | null;
  /** Null unless a person has to look at it. */
  readonly review: ReviewStatus | null;
  /** The charge that used it up. */
  readonly chargeId: ChargeId | null;
  /** That charge's version; 0 while there is none. */
  readonly chargeVersion: number;
  /** How that charge's cardholder was authenticated. */
  readonly threeDSecure: ThreeDSecure | null;
  /** From when on no charge can use it. */
  readonly expiresAt: Date;
  /** The merchant has asked again about the same payment. */
  readonly superseded: boolean;
};

/** Where a review may go. */
export const reviewMoves: Moves<ReviewStatus> = {
  open: { approved: "a person approves", declined: "a person declines" },
  approved: {},
  declined: {},
};

/** Where a decision's status may go: it is never written, but follows from its charge, the clock and later decisions. */
export const decisionMoves: Moves<DecisionStatus> = {
  active: {
    used: "a charge uses it",
    expired: "30 minutes are over",
    superseded: "a newer one is asked for",
  },
  superseded: { active: "a person approves it" },
  used: {},
  expired: {},
};

export function decisionObject(decision: Decision, now: Date): DecisionObject {
  return {
    id: decision.id,
    object: "decision",
    livemode: decision.owner.livemode,
    created: unixSeconds(createdAt(decision.id)),
    outcome: decision.outcome,
    status: decisionStatus(decision, now),
    amount: decision.price.amountMinor,
    currency: decision.price.currency,
    payment_method_id: decision.paymentMethodId,
    customer_id: decision.customerId,
    ip: decision.ip,
    email: decision.email,
    risk_score: decision.score,
    risk_level: riskLevel(decision.score),
    reasons: [...decision.reasons],
    matched_rules: [...(decision.facts?.matched_rules ?? [])],
    three_d_secure: {
      required: decision.authenticate,
      result: decision.threeDSecure?.result ?? null,
      eci: decision.threeDSecure?.eci ?? null,
      version: decision.threeDSecure?.version ?? null,
      ds_transaction_id: decision.threeDSecure?.ds_transaction_id ?? null,
      liability_shift: decision.threeDSecure?.liability_shift ?? false,
    },
    review: decision.review,
    charge_id: decision.chargeId,
    expires_at: unixSeconds(decision.expiresAt),
    version: versionOf(decision, now),
    metadata: decision.metadata,
  };
}

/** Used once, or not at all: what is true follows from charge, clock and later decisions, so nothing has to be updated. */
export function decisionStatus(decision: Decision, now: Date): DecisionStatus {
  if (decision.chargeId) return "used";
  if (decision.superseded) return "superseded";
  return decision.expiresAt <= now ? "expired" : "active";
}

/**
 * Counted from what can happen to it, each of which happens once, or only grows. That its review is closed counts for
 * two, since an approval also takes back that it was superseded.
 */
function versionOf(decision: Decision, now: Date): number {
  const { review, chargeVersion } = decision;
  const status = decisionStatus(decision, now);
  const closed = review === "approved" || review === "declined" ? 2 : 0;
  const over = status === "superseded" || status === "expired" ? 1 : 0;
  return 1 + closed + over + chargeVersion;
}

/** Half an hour after it was made (contract §5). */
export function expiryOf(id: DecisionId): Date {
  return new Date(createdAt(id).getTime() + decisionLifetimeSeconds * 1000);
}
