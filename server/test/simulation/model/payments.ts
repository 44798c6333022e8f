import assert from "node:assert/strict";
import type { Reply } from "../../client.ts";
import type { Trouble } from "./acquirer-faults.ts";
import type { Merchant } from "./merchant.ts";
import {
  announce,
  approve,
  assess,
  type Ends,
  fail,
  type Model,
  type ModelCharge,
  type TestCard,
} from "./model.ts";

/** The payment to make, and the fault to inject. */
export type Payment = {
  readonly card: TestCard;
  readonly amount: number;
  readonly manual: boolean;
  readonly trouble: Trouble;
  readonly absent?: boolean;
  /** The merchant's own decision, which replaces the service's. */
  readonly decision?: { readonly id: string; readonly outcome: Expected["outcome"] };
};

type Expected = ReturnType<typeof assess>;

/** The expected result of a payment: the immediate status and the possible outcomes. */
type Plan = {
  readonly immediate: ModelCharge["status"];
  readonly mayPass: boolean;
  /** The possible reasons of a failure. Null if it cannot fail. */
  readonly failsFor: readonly string[];
  readonly inReview: boolean;
};

export function planOf(model: Model, payment: Payment): Plan {
  const { card, amount, manual, trouble, absent = false, decision } = payment;
  const own = assess(model, card, amount, absent);
  const outcome = decision?.outcome ?? own.outcome;
  const inReview = outcome === "review";
  const never = { mayPass: false, inReview };
  if (outcome === "decline") return { ...never, immediate: "failed", failsFor: ["fraudulent"] };
  if (decision ? outcome === "challenge" : own.authenticates) {
    return { ...never, immediate: "requires_action", failsFor: [] };
  }
  if (card.declines) return { ...never, immediate: "failed", failsFor: [card.declines] };
  const passed = manual || inReview ? "authorized" : "succeeded";
  const states = { done: passed, declined: "failed", unknown: "processing" } as const;
  return {
    immediate: states[trouble.immediate],
    mayPass: trouble.final.includes("done"),
    failsFor: trouble.final.includes("declined") ? [reasonOf(trouble)] : [],
    inReview,
  };
}

function reasonOf({ faults }: Trouble): string {
  if (faults.otherAmount) return "insufficient_funds";
  return faults.rejectLate ? "generic_decline" : "processing_error";
}

/**
 * Returns whether a fault can be injected. The model predicts the result only for a card that goes directly to the
 * acquirer.
 */
export function canBeSpoilt({ card }: Payment): boolean {
  return card.number === "4242424242424242";
}

/** Adds the charge to the model. */
export function begin(
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
    open: null,
  };
  model.charges.push(charge);
  return charge;
}

export function endsOf(model: Model, charge: ModelCharge, plan: Plan, stormy: boolean): Ends {
  const passes = plan.mayPass || stormy;
  const fails = plan.failsFor.length > 0 || stormy;
  const passed = charge.manual || charge.review ? "authorized" : "succeeded";
  const why = stormy ? null : (plan.failsFor[0] ?? null);
  return {
    ...(passes && { [passed]: () => approve(model, charge) }),
    ...(fails && { failed: () => fail(model, charge, why) }),
    // The cardholder may be challenged after all.
    ...(stormy && { requires_action: () => challenge(model, charge, null) }),
  };
}

export function challenge(model: Model, charge: ModelCharge, url: string | null): void {
  charge.status = "requires_action";
  charge.challengeUrl = url;
  announce(model, "payment.requires_action", charge.id);
}

/** Applies the merchant's response to the model. It must be as planned. Only in a stormy setup may parts be missing. */
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
  if (!environment.stormy) assert.equal(status, plan.immediate, reply.text);
  if (!environment.stormy && isDeclined) assert.deepEqual([body.error.decline_code], plan.failsFor);

  const charge = begin(model, id, payment, plan, null);
  if (status === "requires_action") {
    challenge(model, charge, body.next_action.url);
    return charge;
  }
  const ends = endsOf(model, charge, plan, environment.stormy);
  if (status === "processing") charge.open = ends;
  else {
    assert.ok(ends[status], `${id} is ${status}, and should be ${plan.immediate}`);
    ends[status]();
  }
  return charge;
}
