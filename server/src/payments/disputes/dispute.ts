import type {
  Dispute as DisputeObject,
  DisputeReason,
  DisputeStatus,
  SubmitEvidence,
} from "@florin/contract/dispute.ts";
import { unixSeconds } from "../../core/clock.ts";
import {
  type BalanceTransactionId,
  type ChargeId,
  createdAt,
  type DisputeId,
} from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Transitions } from "../../core/transitions.ts";

/** A chargeback or inquiry on a charge. */
export type Dispute = {
  readonly id: DisputeId;
  readonly scope: Scope;
  readonly chargeId: ChargeId;
  /** The UUID of the network's case. In live mode, it is derived from the connection and `acquirerReference`. */
  readonly networkCase: string;
  /** The acquirer's own identifier of the case. Null in test mode. */
  readonly acquirerReference: string | null;
  readonly version: number;
  readonly price: Money;
  readonly status: DisputeStatus;
  readonly reason: DisputeReason;
  /** True for an inquiry: the issuer requests information, and no money has moved. */
  readonly isInquiry: boolean;
  readonly evidence: SubmitEvidence | null;
  readonly evidenceDueAt: Date;
  /** The time at which the merchant's response is sent to the network next. Null if no response must be sent. */
  readonly responseDueAt: Date | null;
  /** The number of attempts to send the response that may have reached the acquirer, including the current one. */
  readonly responseAttempts: number;
  /** The acquirer's reason for rejecting the last response. Null if it has not rejected the last response. */
  readonly responseProblem: string | null;
  readonly reversal: BalanceTransactionId | null;
};

/**
 * The transitions of a dispute. An inquiry that becomes a chargeback moves to `needs_response`, even if it was
 * `under_review`.
 */
export const disputeTransitions: Transitions<DisputeStatus> = {
  needs_response: {
    under_review: "evidence submitted, or response made in the acquirer's console",
    won: "decided, inquiry fully refunded, or no amount left",
    lost: "decided, accepted, or deadline missed",
  },
  under_review: {
    needs_response: "evidence rejected by the acquirer, or inquiry became a chargeback",
    won: "decided, or inquiry fully refunded",
    lost: "decided or accepted",
  },
  won: {},
  lost: {},
};

/**
 * Returns whether the disputed amount is debited from the merchant's balance. It is debited while a dispute is open or
 * lost, but not for an inquiry.
 */
export function holdsFunds({ isInquiry, status }: Pick<Dispute, "isInquiry" | "status">): boolean {
  return !isInquiry && status !== "won";
}

/**
 * Returns the ID of the balance transaction that debits the amount. It has the UUID of the dispute, so that the amount
 * cannot be debited twice.
 */
export function withdrawalOf(id: DisputeId): BalanceTransactionId {
  return `txn_${id.slice("dp_".length)}`;
}

/** Returns the dispute as an API object. */
export function disputeObject(dispute: Dispute): DisputeObject {
  return {
    id: dispute.id,
    object: "dispute",
    livemode: dispute.scope.livemode,
    created: unixSeconds(createdAt(dispute.id)),
    version: dispute.version,
    charge_id: dispute.chargeId,
    amount: dispute.price.amountMinor,
    currency: dispute.price.currency,
    status: dispute.status,
    reason: dispute.reason,
    is_inquiry: dispute.isInquiry,
    funds_withdrawn: holdsFunds(dispute),
    evidence_due_by: unixSeconds(dispute.evidenceDueAt),
    evidence: dispute.evidence,
    response_problem: dispute.responseProblem,
    balance_transaction_id: dispute.isInquiry ? null : withdrawalOf(dispute.id),
    reversal_balance_transaction_id: dispute.reversal,
  };
}
