import assert from "node:assert/strict";
import type { ErrorCode } from "@florin/contract/errors.ts";
import fc from "fast-check";
import { noFault } from "./acquirer-faults.ts";
import { expectRejection, type Merchant } from "./merchant.ts";
import {
  cancel,
  capture,
  cards,
  decisionOf,
  emit,
  evaluateRisk,
  type Model,
  type ModelCharge,
  type ModelDecision,
} from "./model.ts";
import { recordResponse } from "./payments.ts";
import { anyAmount, anyOne, pick, type Step } from "./step.ts";

export const requestDecision: fc.Arbitrary<Step> = fc
  .record({ card: fc.constantFrom(...cards), amount: anyAmount })
  .map(({ card, amount }) => ({
    description: `request a decision on ${amount} with ${card.method}`,
    async run(model, merchant) {
      const { outcome, authenticates } = evaluateRisk(model, card, amount);
      const params = { amount, currency: "usd", payment_method_id: card.method };
      const { status, body, text } = await merchant.post("/decisions", params);
      assert.deepEqual([status, body.outcome], [201, outcome], text);
      const review = outcome === "review" ? "open" : null;
      const method = card.method;
      const unused = { charge: null, expired: false };
      model.decisions.push({
        id: body.id,
        amount,
        method,
        outcome,
        authenticates,
        review,
        ...unused,
      });
      if (review) emit(model, "decision.review_opened", body.id);
    },
  }));

/** A decision can be used once, and only for the payment in its request. */
export const payWithDecision: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, more: fc.constantFrom(0, 0, 0, 1) })
  .map(({ which, more }) => ({
    description: more ? "use a decision for another amount" : "use a decision",
    can: ({ decisions }) => decisions.length > 0,
    async run(model, merchant) {
      const decision = pick(model.decisions, which);
      const amount = decision.amount + more;
      const reply = await merchant.post("/charges", {
        amount,
        currency: "usd",
        payment_method_id: decision.method,
        decision_id: decision.id,
      });
      const rejection = decisionRejection(decision, amount);
      if (rejection) return expectRejection(reply, rejection);
      const card = cards.find(({ method }) => method === decision.method);
      assert.ok(card);
      const used = { id: decision.id, outcome: outcomeOf(decision) };
      const payment = { card, amount, manual: false, fault: noFault, decision: used };
      decision.charge = recordResponse(model, merchant, reply, payment).id;
    },
  }));

function decisionRejection(decision: ModelDecision, requested: number): ErrorCode | null {
  const { amount, charge, review, expired } = decision;
  if (charge) return "decision_already_used";
  if (expired) return "decision_expired";
  if (amount !== requested) return "decision_mismatch";
  return review === "open" ? "decision_pending_review" : null;
}

/** Returns the outcome after the review. An approved payment still needs the authentication that a rule required. */
function outcomeOf({ outcome, authenticates, review }: ModelDecision) {
  if (review === "declined") return "decline";
  if (review === "approved") return authenticates ? "challenge" : "approve";
  return outcome;
}

/** A payment in review: a decision that the merchant requested, or an authorized charge. */
type InReview = ModelDecision | ModelCharge;

function inReview({ charges, decisions }: Model): InReview[] {
  const held = charges.filter(({ review, decision }) => review && !decision);
  return [...decisions.filter(({ review }) => review), ...held];
}

export const review: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, approves: fc.boolean() })
  .map(({ which, approves }) => ({
    description: approves ? "approve a payment in review" : "decline a payment in review",
    can: (model) => inReview(model).length > 0,
    async run(model, merchant) {
      const about = pick(inReview(model), which);
      if ("status" in about) return reviewCharge(model, merchant, about, approves);
      const before = about.review;
      const reply = await decideReview(merchant, about.id, approves);
      if (before !== "open") return expectRejection(reply, "status_transition_invalid");
      about.review = approves ? "approved" : "declined";
      assert.deepEqual([reply.status, reply.body.review], [200, about.review], reply.text);
    },
  }));

async function reviewCharge(
  model: Model,
  merchant: Merchant,
  charge: ModelCharge,
  approves: boolean,
): Promise<void> {
  await merchant.awaitOutcome(charge, model);
  const wanted = approves ? "approved" : "declined";
  const reply = await decideReview(merchant, decisionOf(charge), approves);
  const isHeld =
    charge.status === "authorized" && (charge.review === "open" || charge.review === wanted);
  if (!isHeld && charge.review !== wanted) {
    return expectRejection(reply, "status_transition_invalid");
  }
  assert.deepEqual([reply.status, reply.body.review], [200, wanted], reply.text);
  if (!isHeld) return;
  charge.review = wanted;
  if (approves && charge.manual) return;
  const apply = (): void =>
    approves ? capture(model, charge, charge.amount) : cancel(model, charge);
  if (!merchant.environment.hasInterruptions) return apply();
  // A request that is retried after a fault may return while the operation of the first request is still in progress.
  charge.outcomes = { [approves ? "succeeded" : "canceled"]: apply };
  await merchant.awaitOutcome(charge, model);
}

/** Approves or declines a review. The endpoint stores no responses, because a repeated request has no effect. */
function decideReview(merchant: Merchant, decision: string, approves: boolean) {
  return merchant.post(
    `/decisions/${decision}/${approves ? "approve" : "decline"}`,
    {},
    "unstored",
  );
}

const outcomes = ["approve", "challenge", "review", "decline"] as const;

export const createRule: fc.Arbitrary<Step> = fc
  .record({
    above: fc.constantFrom(5_000, 200_000, 400_000),
    outcome: fc.constantFrom(...outcomes),
  })
  .map(({ above, outcome }) => ({
    description: `create a rule: above ${above}, ${outcome}`,
    async run(model, merchant) {
      const rule = { expression: `amount > ${above}`, outcome };
      const { status, body, text } = await merchant.post("/rules", rule);
      assert.equal(status, 201, text);
      model.rules.push({ id: body.id, above, outcome });
    },
  }));

export const deleteRule: fc.Arbitrary<Step> = anyOne.map((which) => ({
  description: "delete a rule",
  // A DELETE request has no idempotency key, so the service would reject a retry after a crash.
  can: ({ rules }, hasInterruptions) => !hasInterruptions && rules.length > 0,
  async run(model, merchant) {
    const rule = pick(model.rules, which);
    const { status, text } = await merchant.delete(`/rules/${rule.id}`);
    assert.equal(status, 200, text);
    model.rules.splice(model.rules.indexOf(rule), 1);
  },
}));

/** Blocks or unblocks all cards of a country. */
export const block: fc.Arbitrary<Step> = fc.constant({
  description: "block or unblock a country",
  can: (_model, hasInterruptions) => !hasInterruptions,
  async run(model, merchant) {
    const existing = model.blocks.pop();
    if (existing) {
      const { status, text } = await merchant.delete(`/list_entries/${existing.id}`);
      assert.equal(status, 200, text);
      return;
    }
    const entry = { list: "block", attribute: "card_country", value: "US" };
    const { status, body, text } = await merchant.post("/list_entries", entry);
    assert.equal(status, 201, text);
    model.blocks.push({ id: body.id });
  },
});
