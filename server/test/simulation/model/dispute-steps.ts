import assert from "node:assert/strict";
import type { ErrorCode } from "@florin/contract/errors.ts";
import fc from "fast-check";
import { expectRejection, type Merchant } from "./merchant.ts";
import {
  disputeFee,
  emit,
  leftOf,
  type Model,
  type ModelCharge,
  type ModelDispute,
} from "./model.ts";
import { amountOf, anyOne, anyPart, pick, type Step } from "./step.ts";

/** Waits for the outcomes of a charge and its refunds. A failed refund changes the amount that can be disputed. */
async function awaitChargeAndRefunds(
  model: Model,
  merchant: Merchant,
  charge: ModelCharge,
): Promise<void> {
  await merchant.awaitOutcome(charge, model);
  for (const refund of model.refunds) {
    if (refund.charge !== charge) continue;
    while (refund.outcomes) await merchant.awaitOutcome(refund, model);
  }
}

/** The issuer opens a chargeback or an inquiry. */
export const openDispute: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, part: anyPart, isInquiry: fc.boolean() })
  .map(({ which, part, isInquiry }) => ({
    description: `${isInquiry ? "open an inquiry about" : "dispute"} ${part}`,
    can: ({ charges }, hasInterruptions) => !hasInterruptions && charges.length > 0,
    async run(model, merchant) {
      const charge = pick(model.charges, which);
      await awaitChargeAndRefunds(model, merchant, charge);
      const left = leftOf(charge);
      const amount = amountOf(part, left);
      const params = {
        charge_id: charge.id,
        is_inquiry: isInquiry,
        ...(amount !== null && { amount }),
      };
      const reply = await merchant.post("/test_helpers/disputes", params, "unstored");
      if (charge.status !== "succeeded" || left <= 0) {
        return expectRejection(reply, "status_transition_invalid");
      }
      assert.equal(reply.status, 201, reply.text);
      const dispute: ModelDispute = {
        id: reply.body.id,
        charge,
        amount: Math.min(amount ?? left, left),
        status: "needs_response",
        isInquiry: true,
        age: 0,
        outcomes: null,
      };
      model.disputes.push(dispute);
      emit(model, "dispute.opened", dispute.id);
      if (!isInquiry) withdraw(model, dispute);
    },
  }));

/**
 * Withdraws the disputed amount and the fee from the balance. The disputed amount is limited to the amount left on the
 * charge.
 */
function withdraw(model: Model, dispute: ModelDispute): void {
  dispute.amount = Math.min(dispute.amount, leftOf(dispute.charge));
  dispute.isInquiry = false;
  dispute.charge.disputed += dispute.amount;
  model.movements.push({ what: dispute.id, net: -dispute.amount - disputeFee });
}

function close(model: Model, dispute: ModelDispute, wanted: "won" | "lost"): void {
  // An inquiry is won if its charge has been refunded in full, because no amount is left.
  const outcome = dispute.isInquiry && leftOf(dispute.charge) === 0 ? "won" : wanted;
  if (outcome === "lost" && dispute.isInquiry) withdraw(model, dispute);
  if (outcome === "won" && !dispute.isInquiry) {
    dispute.charge.disputed -= dispute.amount;
    model.movements.push({ what: `${dispute.id} reversed`, net: dispute.amount });
  }
  dispute.status = outcome;
  emit(model, "dispute.closed", dispute.id);
}

/** Closes the inquiries of a charge that was refunded in full, after all its refunds have succeeded. */
export function closeRefunded(model: Model, charge: ModelCharge): void {
  const { captured, refunded } = charge;
  const isPending = model.refunds.some(
    (refund) => refund.charge === charge && refund.status === "pending",
  );
  if (refunded < captured || isPending) return;
  for (const dispute of model.disputes) {
    if (dispute.charge !== charge || !dispute.isInquiry || !isOpen(dispute)) continue;
    dispute.outcomes = null;
    close(model, dispute, "won");
  }
}

/** Applies a missed deadline: an inquiry becomes a chargeback, and a chargeback is lost. */
export function missDeadline(model: Model, dispute: ModelDispute): void {
  const lost = { lost: () => close(model, dispute, "lost") };
  const won = { won: () => close(model, dispute, "won") };
  const escalated = (): void => {
    withdraw(model, dispute);
    emit(model, "dispute.opened", dispute.id);
    dispute.age = 0;
  };
  if (!dispute.isInquiry) dispute.outcomes = lost;
  else dispute.outcomes = leftOf(dispute.charge) === 0 ? won : { escalated };
}

const isOpen = ({ status }: ModelDispute): boolean =>
  status === "needs_response" || status === "under_review";

const hasDisputes = ({ disputes }: Model): boolean => disputes.length > 0;

/**
 * Selects a dispute. Waits for its outcome, and for the outcomes of the charge and its refunds, which determine the
 * disputed amount.
 */
async function selectDispute(
  model: Model,
  merchant: Merchant,
  which: number,
): Promise<ModelDispute> {
  const dispute = pick(model.disputes, which);
  await merchant.awaitOutcome(dispute, model);
  await awaitChargeAndRefunds(model, merchant, dispute.charge);
  return dispute;
}

export const submitEvidence: fc.Arbitrary<Step> = fc
  .record({
    which: anyOne,
    evidence: fc.constantFrom("winning_evidence", "losing_evidence", "A cup"),
  })
  .map(({ which, evidence }) => ({
    description: `submit ${evidence}`,
    can: hasDisputes,
    async run(model, merchant) {
      const dispute = await selectDispute(model, merchant, which);
      const reply = await merchant.post(`/disputes/${dispute.id}/evidence`, {
        uncategorized_text: evidence,
      });
      const rejections: Partial<Record<ModelDispute["status"], ErrorCode>> = {
        under_review: "dispute_already_submitted",
        won: "dispute_closed",
        lost: "dispute_closed",
      };
      const rejection = rejections[dispute.status];
      if (rejection) return expectRejection(reply, rejection);
      assert.deepEqual([reply.status, reply.body.status], [200, "under_review"], reply.text);
      dispute.status = "under_review";
      if (evidence === "A cup") return;
      const outcome = evidence === "winning_evidence" ? "won" : "lost";
      const apply = () => close(model, dispute, outcome);
      dispute.outcomes = { won: apply, lost: apply };
      await merchant.awaitOutcome(dispute, model);
    },
  }));

export const acceptDispute: fc.Arbitrary<Step> = anyOne.map((which) => ({
  description: "accept a dispute",
  can: hasDisputes,
  async run(model, merchant) {
    const dispute = await selectDispute(model, merchant, which);
    const reply = await merchant.post(`/disputes/${dispute.id}/accept`);
    if (!isOpen(dispute)) return expectRejection(reply, "dispute_closed");
    close(model, dispute, "lost");
    assert.deepEqual([reply.status, reply.body.status], [200, dispute.status], reply.text);
  },
}));

export const decideDispute: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, outcome: fc.constantFrom("won" as const, "lost" as const) })
  .map(({ which, outcome }) => ({
    description: `the network decides: ${outcome}`,
    can: (model, hasInterruptions) => !hasInterruptions && hasDisputes(model),
    async run(model, merchant) {
      const dispute = await selectDispute(model, merchant, which);
      const path = `/test_helpers/disputes/${dispute.id}/close`;
      const reply = await merchant.post(path, { outcome }, "unstored");
      if (!isOpen(dispute)) return expectRejection(reply, "dispute_closed");
      close(model, dispute, outcome);
      assert.deepEqual([reply.status, reply.body.status], [200, dispute.status], reply.text);
    },
  }));
