import type {
  Dispute as DisputeObject,
  DisputeReason,
  DisputeStatus,
  SubmitEvidence,
} from "@florin/contract/dispute.ts";
import { unixSeconds } from "../primitives/clock.ts";
import {
  type BalanceTransactionId,
  type ChargeId,
  createdAt,
  type DisputeId,
} from "../primitives/ids.ts";
import type { Money } from "../primitives/money.ts";
import type { Moves } from "../primitives/moves.ts";
import type { Owner } from "../primitives/owner.ts";

/** A cardholder's objection to a charge (contract §5). */
export type Dispute = {
  readonly id: DisputeId;
  readonly owner: Owner;
  readonly chargeId: ChargeId;
  /** The card network's own number of it. */
  readonly networkCase: string;
  readonly version: number;
  readonly price: Money;
  readonly status: DisputeStatus;
  readonly reason: DisputeReason;
  /** The bank only asks; the money is still the merchant's. */
  readonly isInquiry: boolean;
  readonly evidence: SubmitEvidence | null;
  readonly evidenceDueAt: Date;
  /** When the network is to be told the merchant's answer; null when it was, or there is none. */
  readonly answerDueAt: Date | null;
  readonly reversal: BalanceTransactionId | null;
};

/** Where a dispute may go. An inquiry that becomes a dispute needs a response as before. */
export const disputeMoves: Moves<DisputeStatus> = {
  needs_response: {
    under_review: "evidence is handed in",
    won: "decided so, refunded in full as an inquiry, or nothing is left to take",
    lost: "accepted, decided so, or not answered in time",
  },
  under_review: {
    won: "decided so, or refunded in full as an inquiry",
    lost: "accepted, or decided so",
  },
  won: {},
  lost: {},
};

/** Whether the amount is out of the merchant's balance: while a dispute is open, and when it is lost. */
export function holdsFunds({ isInquiry, status }: Pick<Dispute, "isInquiry" | "status">): boolean {
  return !isInquiry && status !== "won";
}

/** The entry that took the money has the dispute's own letters, so it cannot be taken twice. */
export function withdrawalOf(id: DisputeId): BalanceTransactionId {
  return `txn_${id.slice("dp_".length)}`;
}

/** The dispute as merchants see it. */
export function disputeObject(dispute: Dispute): DisputeObject {
  return {
    id: dispute.id,
    object: "dispute",
    livemode: dispute.owner.livemode,
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
    balance_transaction_id: dispute.isInquiry ? null : withdrawalOf(dispute.id),
    reversal_balance_transaction_id: dispute.reversal,
  };
}
