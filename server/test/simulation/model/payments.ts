import assert from "node:assert/strict";
import type { Reply } from "../../client.ts";
import type { PlannedFault } from "./acquirer-faults.ts";
import type { Merchant } from "./merchant.ts";
import {
  approve,
  emit,
  evaluateRisk,
  fail,
  type Model,
  type ModelCharge,
  type Outcomes,
  type TestCard,
} from "./model.ts";

/** The payment to make, and the fault to inject. */
export type Payment = {
  readonly card: TestCard;
  readonly amount: number;
  readonly manual: boolean;
  readonly fault: PlannedFault;
  readonly absent?: boolean;
  /** The decision that the merchant requested. It replaces the service's decision. */
  readonly decision?: { readonly id: string; readonly outcome: Expected["outcome"] };
};

type Expected = ReturnType<typeof evaluateRisk>;

/** The expected result of a payment: the immediate status and the possible outcomes. */
type Plan = {
  readonly immediate: ModelCharge["status"];
  readonly maySucceed: boolean;
  /** The possible decline codes. Empty if the payment cannot fail. */
  readonly declineCodes: readonly string[];
  readonly inReview: boolean;
};

export function planOf(model: Model, payment: Payment): Plan {
  const { card, amount, manual, fault, absent = false, decision } = payment;
  const own = evaluateRisk(model, card, amount, absent);
  const outcome = decision?.outcome ?? own.outcome;
  const inReview = outcome === "review";
  const notCharged = { maySucceed: false, inReview };
  if (outcome === "decline")
    return { ...notCharged, immediate: "failed", declineCodes: ["fraudulent"] };
  if (decision ? outcome === "challenge" : own.authenticates) {
    return { ...notCharged, immediate: "requires_action", declineCodes: [] };
  }
  if (card.declines) return { ...notCharged, immediate: "failed", declineCodes: [card.declines] };
  const passed = manual || inReview ? "authorized" : "succeeded";
  const states = { done: passed, declined: "failed", unknown: "processing" } as const;
  return {
    immediate: states[fault.immediate],
    maySucceed: fault.final.includes("done"),
    declineCodes: fault.final.includes("declined") ? [reasonOf(fault)] : [],
    inReview,
  };
}

function reasonOf({ faults }: PlannedFault): string {
  if (faults.otherAmount) return "insufficient_funds";
  return faults.rejectLate ? "generic_decline" : "processing_error";
}

/**
 * Reports whether a fault can be injected. The model predicts the effect of a fault only for a card without a special
 * outcome.
 */
export function canInjectFault({ card }: Payment): boolean {
  return card.number === "4242424242424242";
}

/** Adds the charge to the model. */
export function addCharge(
  model: Model,
  id: string,
  payment: Payment,
  plan: Plan,
  session: ModelCharge["session"],
): ModelCharge {
  const charge: ModelCharge = {
    id,
    amount: payment.amount,
    status: "processing",
    declineCode: null,
    manual: payment.manual,
    review: plan.inReview ? "open" : null,
    wasHeld: false,
    sequel: payment.card.sequel ?? null,
    captured: 0,
    refunded: 0,
    disputed: 0,
    age: 0,
    session,
    decision: payment.decision?.id ?? null,
    challengeUrl: null,
    outcomes: null,
  };
  model.charges.push(charge);
  return charge;
}

export function outcomesOf(
  model: Model,
  charge: ModelCharge,
  plan: Plan,
  hasInterruptions: boolean,
): Outcomes {
  const passes = plan.maySucceed || hasInterruptions;
  const fails = plan.declineCodes.length > 0 || hasInterruptions;
  const passed = charge.manual || charge.review ? "authorized" : "succeeded";
  const why = hasInterruptions ? null : (plan.declineCodes[0] ?? null);
  return {
    ...(passes && { [passed]: () => approve(model, charge) }),
    ...(fails && { failed: () => fail(model, charge, why) }),
    // The retried request may require a challenge.
    ...(hasInterruptions && { requires_action: () => challenge(model, charge, null) }),
  };
}

export function challenge(model: Model, charge: ModelCharge, url: string | null): void {
  charge.status = "requires_action";
  charge.challengeUrl = url;
  emit(model, "payment.requires_action", charge.id);
}

/**
 * Applies the response to the model. Asserts that it is the planned response, unless the environment has interruptions.
 */
export function recordResponse(
  model: Model,
  { environment }: Merchant,
  reply: Reply,
  payment: Payment,
): ModelCharge {
  const plan = planOf(model, payment);
  const isDeclined = reply.status === 402;
  assert.ok(isDeclined || reply.status === 201, reply.text);
  const { body } = reply;
  const id: string = isDeclined ? body.error.charge : body.id;
  const status: ModelCharge["status"] = isDeclined ? "failed" : body.status;
  if (!environment.hasInterruptions) assert.equal(status, plan.immediate, reply.text);
  if (!environment.hasInterruptions && isDeclined)
    assert.deepEqual([body.error.decline_code], plan.declineCodes);

  const charge = addCharge(model, id, payment, plan, null);
  if (status === "requires_action") {
    challenge(model, charge, body.next_action.url);
    return charge;
  }
  const outcomes = outcomesOf(model, charge, plan, environment.hasInterruptions);
  if (status === "processing") charge.outcomes = outcomes;
  else {
    assert.ok(outcomes[status], `${id} is ${status}, and the model expects ${plan.immediate}`);
    outcomes[status]();
  }
  return charge;
}
