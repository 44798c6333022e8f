import assert from "node:assert/strict";
import type { ErrorCode } from "@florin/contract/errors.ts";
import fc from "fast-check";
import { expectRejection, type Merchant } from "./merchant.ts";
import {
  announce,
  disputeFee,
  leftOf,
  type Model,
  type ModelCharge,
  type ModelDispute,
} from "./model.ts";
import { amountOf, anyOne, anyPart, pick, type Step } from "./step.ts";

/** Waits for all refunds of a charge before it is disputed. A failed refund changes the amount that is left. */
async function settleAll(model: Model, merchant: Merchant, charge: ModelCharge): Promise<void> {
  await merchant.settle(charge, model);
  for (const refund of model.refunds) {
    if (refund.charge !== charge) continue;
    while (refund.open) await merchant.settle(refund, model);
  }
}

/** The issuer opens a chargeback or an inquiry. */
export const openDispute: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, part: anyPart, isInquiry: fc.boolean() })
  .map(({ which, part, isInquiry }) => ({
    words: `${isInquiry ? "ask about" : "dispute"} ${part}`,
    can: ({ charges }, stormy) => !stormy && charges.length > 0,
    async run(model, merchant) {
      const charge = pick(model.charges, which);
      await settleAll(model, merchant, charge);
      const left = leftOf(charge);
      const amount = amountOf(part, left);
      const params = {
        charge_id: charge.id,
        is_inquiry: isInquiry,
        ...(amount !== null && { amount }),
      };
      const reply = await merchant.post("/test_helpers/disputes", params, "unkept");
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
        open: null,
      };
      model.disputes.push(dispute);
      announce(model, "dispute.opened", dispute.id);
      if (!isInquiry) withdraw(model, dispute);
    },
  }));

/** Withdraws the disputed amount, or the part that is left, and the fee from the balance. */
function withdraw(model: Model, dispute: ModelDispute): void {
  dispute.amount = Math.min(dispute.amount, leftOf(dispute.charge));
  dispute.isInquiry = false;
  dispute.charge.disputed += dispute.amount;
  model.movements.push({ what: dispute.id, net: -dispute.amount - disputeFee });
}

function close(model: Model, dispute: ModelDispute, wanted: "won" | "lost"): void {
  // An inquiry about a charge that has been refunded in full since then has nothing left to lose.
  const outcome = dispute.isInquiry && leftOf(dispute.charge) === 0 ? "won" : wanted;
  if (outcome === "lost" && dispute.isInquiry) withdraw(model, dispute);
  if (outcome === "won" && !dispute.isInquiry) {
    dispute.charge.disputed -= dispute.amount;
    model.movements.push({ what: `${dispute.id} reversed`, net: dispute.amount });
  }
  dispute.status = outcome;
  announce(model, "dispute.closed", dispute.id);
}

/** Closes the inquiries of a charge that was refunded in full, once no refund of it can fail any more. */
export function closeRefunded(model: Model, charge: ModelCharge): void {
  const { captured, refunded } = charge;
  const isPending = model.refunds.some(
    (refund) => refund.charge === charge && refund.status === "pending",
  );
  if (refunded < captured || isPending) return;
  for (const dispute of model.disputes) {
    if (dispute.charge !== charge || !dispute.isInquiry || !isOpen(dispute)) continue;
    dispute.open = null;
    close(model, dispute, "won");
  }
}

/** Applies a missed deadline: an inquiry becomes a chargeback, and a chargeback is lost. */
export function runOut(model: Model, dispute: ModelDispute): void {
  const lost = { lost: () => close(model, dispute, "lost") };
  const won = { won: () => close(model, dispute, "won") };
  const escalated = (): void => {
    withdraw(model, dispute);
    announce(model, "dispute.opened", dispute.id);
    dispute.age = 0;
  };
  if (!dispute.isInquiry) dispute.open = lost;
  else dispute.open = leftOf(dispute.charge) === 0 ? won : { escalated };
}

const isOpen = ({ status }: ModelDispute): boolean =>
  status === "needs_response" || status === "under_review";

const hasDisputes = ({ disputes }: Model): boolean => disputes.length > 0;

/** Learns the state of a dispute and everything that its amount depends on. */
async function known(model: Model, merchant: Merchant, which: number): Promise<ModelDispute> {
  const dispute = pick(model.disputes, which);
  await merchant.settle(dispute, model);
  await settleAll(model, merchant, dispute.charge);
  return dispute;
}

export const submitEvidence: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, words: fc.constantFrom("winning_evidence", "losing_evidence", "A cup") })
  .map(({ which, words }) => ({
    words: `hand in ${words}`,
    can: hasDisputes,
    async run(model, merchant) {
      const dispute = await known(model, merchant, which);
      const reply = await merchant.post(`/disputes/${dispute.id}/evidence`, {
        uncategorized_text: words,
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
      if (words === "A cup") return;
      const outcome = words === "winning_evidence" ? "won" : "lost";
      const end = () => close(model, dispute, outcome);
      dispute.open = { won: end, lost: end };
      await merchant.settle(dispute, model);
    },
  }));

export const acceptDispute: fc.Arbitrary<Step> = anyOne.map((which) => ({
  words: "accept a dispute",
  can: hasDisputes,
  async run(model, merchant) {
    const dispute = await known(model, merchant, which);
    const reply = await merchant.post(`/disputes/${dispute.id}/accept`);
    if (!isOpen(dispute)) return expectRejection(reply, "dispute_closed");
    close(model, dispute, "lost");
    assert.deepEqual([reply.status, reply.body.status], [200, dispute.status], reply.text);
  },
}));

export const decideDispute: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, outcome: fc.constantFrom("won" as const, "lost" as const) })
  .map(({ which, outcome }) => ({
    words: `the network decides: ${outcome}`,
    can: (model, stormy) => !stormy && hasDisputes(model),
    async run(model, merchant) {
      const dispute = await known(model, merchant, which);
      const path = `/test_helpers/disputes/${dispute.id}/close`;
      const reply = await merchant.post(path, { outcome }, "unkept");
      if (!isOpen(dispute)) return expectRejection(reply, "dispute_closed");
      close(model, dispute, outcome);
      assert.deepEqual([reply.status, reply.body.status], [200, dispute.status], reply.text);
    },
  }));
