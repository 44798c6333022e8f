import type { ThreeDSecure } from "@florin/contract/charge.ts";
import {
  type Decision as DecisionObject,
  type DecisionOutcome,
  type DecisionStatus,
  decisionLifetimeSeconds,
  type ReviewStatus,
} from "@florin/contract/decision.ts";
import { unixSeconds } from "../core/clock.ts";
import {
  type ChargeId,
  type CustomerId,
  createdAt,
  type DecisionId,
  type PaymentMethodId,
} from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import type { Transitions } from "../core/transitions.ts";
import { riskLevel } from "./risk-level.ts";
import type { DecisionDetails } from "./signals.ts";

/** The service's risk evaluation of one payment, with the verdict. */
export type Decision = {
  readonly id: DecisionId;
  readonly scope: Scope;
  readonly price: Money;
  readonly paymentMethodId: PaymentMethodId;
  readonly customerId: CustomerId | null;
  readonly ip: string | null;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly outcome: DecisionOutcome;
  readonly score: number;
  readonly reasons: readonly string[];
  /** True if the cardholder must be authenticated. */
  readonly authenticate: boolean;
  readonly details: DecisionDetails | null;
  /** Null unless the payment needs manual review. */
  readonly review: ReviewStatus | null;
  /** The charge that used the decision. */
  readonly chargeId: ChargeId | null;
  /** The charge's version, or 0 without a charge. */
  readonly chargeVersion: number;
  /** The charge's 3-D Secure result. */
  readonly threeDSecure: ThreeDSecure | null;
  /** The expiry of the decision. No charge can use it from then on. */
  readonly expiresAt: Date;
  /** True if the merchant has requested another decision on the same payment. */
  readonly superseded: boolean;
};

/** The transitions of a review. */
export const reviewTransitions: Transitions<ReviewStatus> = {
  open: { approved: "approved by a person", declined: "declined by a person" },
  approved: {},
  declined: {},
};

/**
 * The transitions of a decision's status. The status is never stored, but derived from the charge, the clock and later
 * decisions.
 */
export const decisionTransitions: Transitions<DecisionStatus> = {
  active: {
    used: "used by a charge",
    expired: "30 minutes old",
    superseded: "newer decision requested",
  },
  superseded: { active: "approved by a person" },
  used: {},
  expired: {},
};

export function decisionObject(decision: Decision, now: Date): DecisionObject {
  return {
    id: decision.id,
    object: "decision",
    livemode: decision.scope.livemode,
    created: unixSeconds(createdAt(decision.id)),
    outcome: decision.outcome,
    status: decisionStatus(decision, now),
    amount: decision.price.amountMinor,
    currency: decision.price.currency,
    payment_method_id: decision.paymentMethodId,
    customer_id: decision.customerId,
    ip: decision.ip,
    ip_country: decision.details?.ip_country || null,
    email: decision.email,
    risk_score: decision.score,
    risk_level: riskLevel(decision.score),
    reasons: [...decision.reasons],
    matched_rules: [...(decision.details?.matched_rules ?? [])],
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

/** Returns the status, derived from the charge, the clock and later decisions, so that no update is needed. */
export function decisionStatus(decision: Decision, now: Date): DecisionStatus {
  if (decision.chargeId) return "used";
  if (decision.superseded) return "superseded";
  return decision.expiresAt <= now ? "expired" : "active";
}

/**
 * Returns a version that increases with each change of the decision. The status `superseded` adds one, and an approval
 * can end this status. A closed review therefore adds two, so that the version still increases.
 */
function versionOf(decision: Decision, now: Date): number {
  const { review, chargeVersion } = decision;
  const status = decisionStatus(decision, now);
  const closed = review === "approved" || review === "declined" ? 2 : 0;
  const over = status === "superseded" || status === "expired" ? 1 : 0;
  return 1 + closed + over + chargeVersion;
}

/** Returns the expiry, half an hour after the decision. */
export function expiryOf(id: DecisionId): Date {
  return new Date(createdAt(id).getTime() + decisionLifetimeSeconds * 1000);
}
