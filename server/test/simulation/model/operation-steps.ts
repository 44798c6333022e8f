import assert from "node:assert/strict";
import type { ErrorCode } from "@florin/contract/errors.ts";
import fc from "fast-check";
import type { Reply } from "../../client.ts";
import { noFault, operationFaults, type PlannedFault } from "./acquirer-faults.ts";
import { closeRefunded } from "./dispute-steps.ts";
import { expectRejection, type Merchant } from "./merchant.ts";
import {
  cancel,
  capture,
  emit,
  leftOf,
  type Model,
  type ModelCharge,
  type ModelRefund,
  type Outcomes,
} from "./model.ts";
import { amountOf, anyOne, anyPart, pick, type Step } from "./step.ts";

const fault = fc.oneof(
  { weight: 3, arbitrary: fc.constant(noFault) },
  { weight: 1, arbitrary: fc.constantFrom(...operationFaults) },
);

const hasCharges = ({ charges }: Model): boolean => charges.length > 0;

/**
 * Requests an operation on a charge in any state. Returns null after an expected rejection. If the charge is in
 * progress, the service may record its outcome before it handles the request. The model then applies the outcome first,
 * and expects the response for the new state.
 */
async function attempt(
  model: Model,
  merchant: Merchant,
  charge: ModelCharge,
  request: {
    readonly from: "authorized" | "succeeded";
    readonly rejection: () => ErrorCode | null;
    readonly send: () => Promise<Reply>;
  },
): Promise<Reply | null> {
  const known = request.rejection();
  const reply = await request.send();
  const isDone = reply.status < 300 || reply.status === 402;
  if (known && reply.body?.error?.code === known) return null;
  const apply = charge.outcomes?.[request.from];
  if (isDone && apply) {
    charge.outcomes = null;
    apply();
  } else if (known && charge.outcomes) await merchant.awaitOutcome(charge, model);
  const rejection = request.rejection();
  if (!rejection) {
    assert.ok(isDone, reply.text);
    return reply;
  }
  expectRejection(reply, rejection);
  return null;
}

/** Captures or cancels a charge. The response is 200 with the charge, or 402 if the acquirer declines. */
async function captureOrCancel(
  model: Model,
  merchant: Merchant,
  charge: ModelCharge,
  wanted: {
    readonly path: "capture" | "cancel";
    readonly body: object;
    readonly fault: PlannedFault;
    readonly rejection: () => ErrorCode | null;
    readonly done: Outcomes;
  },
): Promise<void> {
  const { path, body, rejection, done } = wanted;
  const { hasInterruptions } = merchant.environment;
  const send = () => merchant.post(`/charges/${charge.id}/${path}`, body);
  await merchant.withFault(wanted.fault, path === "capture" ? "capture" : "void", async (fault) => {
    const reply = await attempt(model, merchant, charge, {
      from: "authorized",
      rejection: rejection,
      send,
    });
    if (!reply) return;
    const { immediate } = fault;
    if (!hasInterruptions)
      assert.equal(reply.status, immediate === "declined" ? 402 : 200, reply.text);
    charge.outcomes = {
      ...(isPossible("done", fault, hasInterruptions) && done),
      // The charge stays authorized.
      ...(isPossible("declined", fault, hasInterruptions) && { authorized: () => undefined }),
    };
    const isKnown = reply.status === 402 || !reply.body.pending_reason;
    if (!hasInterruptions) assert.equal(isKnown, immediate !== "unknown", reply.text);
    if (isKnown) await merchant.awaitOutcome(charge, model);
  });
}

/**
 * Returns whether an operation with this fault can have the result. After an interruption, the request may have been
 * retried without the fault, so both results are possible.
 */
function isPossible(
  result: "done" | "declined",
  fault: PlannedFault,
  hasInterruptions: boolean,
): boolean {
  return fault.final.includes(result) || (hasInterruptions && fault !== noFault);
}

export const captureStep: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, part: anyPart, fault })
  .map(({ which, part, fault }) => ({
    description: `capture ${part} ${JSON.stringify(fault.faults)}`,
    can: hasCharges,
    async run(model, merchant) {
      const charge = pick(model.charges, which);
      const amount = amountOf(part, charge.amount);
      const rejection = (): ErrorCode | null => {
        if (charge.status !== "authorized") return "status_transition_invalid";
        if ((amount ?? 0) > charge.amount) return "amount_exceeds_capturable";
        return charge.outcomes ? "charge_outcome_pending" : null;
      };
      const body = amount === null ? {} : { amount };
      const done = { succeeded: () => capture(model, charge, amount ?? charge.amount) };
      await captureOrCancel(model, merchant, charge, {
        path: "capture",
        body,
        fault,
        rejection: rejection,
        done,
      });
    },
  }));

export const cancelStep: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, fault })
  .map(({ which, fault }) => ({
    description: `cancel ${JSON.stringify(fault.faults)}`,
    can: hasCharges,
    async run(model, merchant) {
      const charge = pick(model.charges, which);
      if (charge.status === "requires_action" && !charge.outcomes) {
        // The request sends nothing to the acquirer, so no fault can occur.
        const reply = await merchant.post(`/charges/${charge.id}/cancel`, {});
        assert.equal(reply.status, 200, reply.text);
        charge.challengeUrl = null;
        cancel(model, charge);
        if (charge.session) charge.session.status = "canceled";
        return;
      }
      const rejection = (): ErrorCode | null => {
        if (charge.status !== "authorized") return "status_transition_invalid";
        return charge.outcomes ? "charge_outcome_pending" : null;
      };
      const done = { canceled: () => cancel(model, charge) };
      await captureOrCancel(model, merchant, charge, {
        path: "cancel",
        body: {},
        fault,
        rejection: rejection,
        done,
      });
    },
  }));

export const refund: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, part: anyPart, fault })
  .map(({ which, part, fault }) => ({
    description: `refund ${part} ${JSON.stringify(fault.faults)}`,
    can: hasCharges,
    async run(model, merchant) {
      const charge = pick(model.charges, which);
      // The refundable amount depends on refunds that may still fail.
      for (const other of model.refunds) {
        if (other.charge === charge) await merchant.awaitOutcome(other, model);
      }
      const amount = amountOf(part, leftOf(charge));
      const injected = charge.sequel ? noFault : fault;
      const body = { charge_id: charge.id, ...(amount !== null && { amount }) };
      await merchant.withFault(injected, "refund", async (fault) => {
        const reply = await attempt(model, merchant, charge, {
          from: "succeeded",
          rejection: () => refundRejection(charge, amount),
          send: () => merchant.post("/refunds", body),
        });
        if (reply) recordRefund(model, merchant, charge, fault, reply);
      });
    },
  }));

function refundRejection(charge: ModelCharge, amount: number | null): ErrorCode | null {
  if (charge.status === "processing") return "charge_outcome_pending";
  if (charge.status !== "succeeded") return "charge_not_refundable";
  const left = leftOf(charge);
  if (left === 0)
    return charge.disputed > 0 ? "refund_disputed_payment" : "charge_already_refunded";
  return (amount ?? left) > left ? "refund_amount_exceeds_captured" : null;
}

function recordRefund(
  model: Model,
  { environment }: Merchant,
  charge: ModelCharge,
  fault: PlannedFault,
  reply: Reply,
): void {
  const { id, amount, status } = reply.body;
  const created: ModelRefund = { id, charge, amount, status: "pending", outcomes: null };
  model.refunds.push(created);
  charge.refunded += amount;
  const failsLate = charge.sequel === "refund_fails_late";
  const done = (): void => {
    created.status = "succeeded";
    model.movements.push({ what: created.id, net: -amount });
    emit(model, "refund.succeeded", created.id);
    closeRefunded(model, charge);
    if (failsLate) created.outcomes = { failed: failLate };
  };
  const rejected = (): void => {
    created.status = "failed";
    charge.refunded -= amount;
    emit(model, "refund.failed", created.id);
  };
  const failLate = (): void => {
    rejected();
    model.movements.push({ what: `${created.id} was returned`, net: amount });
  };
  const outcomes: Outcomes = {
    ...(isPossible("done", fault, environment.hasInterruptions) && { succeeded: done }),
    ...(isPossible("declined", fault, environment.hasInterruptions) && { failed: rejected }),
    // After an interruption, the refund may already have failed when the merchant first reads it.
    ...(failsLate && {
      failed: () => {
        done();
        created.outcomes = null;
        failLate();
      },
    }),
  };
  const waits = charge.sequel === "refund_is_pending" || fault.immediate === "unknown";
  const expected = waits ? "pending" : fault.immediate === "declined" ? "failed" : "succeeded";
  if (!environment.hasInterruptions) assert.equal(status, expected, reply.text);
  if (status === "pending") created.outcomes = outcomes;
  else {
    assert.ok(outcomes[status], reply.text);
    outcomes[status]();
  }
}

/** The issuer returns the money of a refund. */
export const failRefund: fc.Arbitrary<Step> = anyOne.map((which) => ({
  description: "the issuer returns a refund",
  can: ({ refunds }, hasInterruptions) => !hasInterruptions && refunds.length > 0,
  async run(model, merchant) {
    const created = pick(model.refunds, which);
    await merchant.awaitOutcome(created, model);
    if (created.outcomes) await merchant.awaitOutcome(created, model);
    const reply = await merchant.post(`/test_helpers/refunds/${created.id}/fail`, {}, "unstored");
    if (created.status === "failed") return expectRejection(reply, "status_transition_invalid");
    assert.equal(reply.status, 200, reply.text);
    created.status = "failed";
    created.charge.refunded -= created.amount;
    model.movements.push({ what: `${created.id} was returned`, net: created.amount });
    emit(model, "refund.failed", created.id);
  },
}));
