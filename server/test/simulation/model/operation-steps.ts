import assert from "node:assert/strict";
import type { ErrorCode } from "@florin/contract/errors.ts";
import fc from "fast-check";
import type { Reply } from "../../client.ts";
import { type Trouble, troubleWithOperations, well } from "./acquirer-faults.ts";
import { closeRefunded } from "./dispute-steps.ts";
import { expectRejection, type Merchant } from "./merchant.ts";
import {
  announce,
  cancel,
  capture,
  type Ends,
  leftOf,
  type Model,
  type ModelCharge,
  type ModelRefund,
} from "./model.ts";
import { amountOf, anyOne, anyPart, pick, type Step } from "./step.ts";

const trouble = fc.oneof(
  { weight: 3, arbitrary: fc.constant(well) },
  { weight: 1, arbitrary: fc.constantFrom(...troubleWithOperations) },
);

const hasCharges = ({ charges }: Model): boolean => charges.length > 0;

/**
 * Requests an operation on a charge in any state. Returns null after an expected rejection. If the charge is in
 * progress, its outcome may arrive before the response. Then the model learns the outcome first and expects the
 * response for it.
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
  const end = charge.open?.[request.from];
  if (isDone && end) {
    charge.open = null;
    end();
  } else if (known && charge.open) await merchant.settle(charge, model);
  const rejection = request.rejection();
  if (!rejection) {
    assert.ok(isDone, reply.text);
    return reply;
  }
  expectRejection(reply, rejection);
  return null;
}

/** Captures or cancels: 200 with the charge, or 402 if the acquirer declines. */
async function move(
  model: Model,
  merchant: Merchant,
  charge: ModelCharge,
  wanted: {
    readonly path: "capture" | "cancel";
    readonly body: object;
    readonly trouble: Trouble;
    readonly rejection: () => ErrorCode | null;
    readonly done: Ends;
  },
): Promise<void> {
  const { path, body, rejection, done } = wanted;
  const { stormy } = merchant.environment;
  const send = () => merchant.post(`/charges/${charge.id}/${path}`, body);
  await merchant.suffer(
    wanted.trouble,
    path === "capture" ? "capture" : "void",
    async (trouble) => {
      const reply = await attempt(model, merchant, charge, {
        from: "authorized",
        rejection: rejection,
        send,
      });
      if (!reply) return;
      const { immediate: concurrent } = trouble;
      if (!stormy) assert.equal(reply.status, concurrent === "declined" ? 402 : 200, reply.text);
      charge.open = {
        ...(comesTo("done", trouble, stormy) && done),
        // The charge stays held.
        ...(comesTo("declined", trouble, stormy) && { authorized: () => undefined }),
      };
      const isKnown = reply.status === 402 || !reply.body.pending_reason;
      if (!stormy) assert.equal(isKnown, concurrent !== "unknown", reply.text);
      if (isKnown) await merchant.settle(charge, model);
    },
  );
}

/** In a stormy setup, the fault may have affected a lost message, and the retry had none. */
function comesTo(end: "done" | "declined", trouble: Trouble, stormy: boolean): boolean {
  return trouble.final.includes(end) || (stormy && trouble !== well);
}

export const captureStep: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, part: anyPart, trouble })
  .map(({ which, part, trouble }) => ({
    words: `capture ${part} ${JSON.stringify(trouble.faults)}`,
    can: hasCharges,
    async run(model, merchant) {
      const charge = pick(model.charges, which);
      const amount = amountOf(part, charge.amount);
      const rejection = (): ErrorCode | null => {
        if (charge.status !== "authorized") return "status_transition_invalid";
        if ((amount ?? 0) > charge.amount) return "amount_exceeds_capturable";
        return charge.open ? "charge_outcome_pending" : null;
      };
      const body = amount === null ? {} : { amount };
      const done = { succeeded: () => capture(model, charge, amount ?? charge.amount) };
      await move(model, merchant, charge, {
        path: "capture",
        body,
        trouble,
        rejection: rejection,
        done,
      });
    },
  }));

export const cancelStep: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, trouble })
  .map(({ which, trouble }) => ({
    words: `cancel ${JSON.stringify(trouble.faults)}`,
    can: hasCharges,
    async run(model, merchant) {
      const charge = pick(model.charges, which);
      if (charge.status === "requires_action" && !charge.open) {
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
        return charge.open ? "charge_outcome_pending" : null;
      };
      const done = { canceled: () => cancel(model, charge) };
      await move(model, merchant, charge, {
        path: "cancel",
        body: {},
        trouble,
        rejection: rejection,
        done,
      });
    },
  }));

export const refund: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, part: anyPart, trouble })
  .map(({ which, part, trouble }) => ({
    words: `refund ${part} ${JSON.stringify(trouble.faults)}`,
    can: hasCharges,
    async run(model, merchant) {
      const charge = pick(model.charges, which);
      // The remaining amount depends on refunds that may still fail.
      for (const other of model.refunds) {
        if (other.charge === charge) await merchant.settle(other, model);
      }
      const amount = amountOf(part, leftOf(charge));
      const spoilt = charge.sequel ? well : trouble;
      const body = { charge_id: charge.id, ...(amount !== null && { amount }) };
      await merchant.suffer(spoilt, "refund", async (trouble) => {
        const reply = await attempt(model, merchant, charge, {
          from: "succeeded",
          rejection: () => refundRejection(charge, amount),
          send: () => merchant.post("/refunds", body),
        });
        if (reply) takeRefund(model, merchant, charge, trouble, reply);
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

function takeRefund(
  model: Model,
  { environment }: Merchant,
  charge: ModelCharge,
  trouble: Trouble,
  reply: Reply,
): void {
  const { id, amount, status } = reply.body;
  const created: ModelRefund = { id, charge, amount, status: "pending", open: null };
  model.refunds.push(created);
  charge.refunded += amount;
  const failsLate = charge.sequel === "refund_fails_late";
  const done = (): void => {
    created.status = "succeeded";
    model.movements.push({ what: created.id, net: -amount });
    announce(model, "refund.succeeded", created.id);
    closeRefunded(model, charge);
    if (failsLate) created.open = { failed: failLate };
  };
  const rejected = (): void => {
    created.status = "failed";
    charge.refunded -= amount;
    announce(model, "refund.failed", created.id);
  };
  const failLate = (): void => {
    rejected();
    model.movements.push({ what: `${created.id} came back`, net: amount });
  };
  const ends: Ends = {
    ...(comesTo("done", trouble, environment.stormy) && { succeeded: done }),
    ...(comesTo("declined", trouble, environment.stormy) && { failed: rejected }),
    // In a stormy setup the merchant may receive the result only after the refund has failed.
    ...(failsLate && {
      failed: () => {
        done();
        created.open = null;
        failLate();
      },
    }),
  };
  const waits = charge.sequel === "refund_is_pending" || trouble.immediate === "unknown";
  const expected = waits ? "pending" : trouble.immediate === "declined" ? "failed" : "succeeded";
  if (!environment.stormy) assert.equal(status, expected, reply.text);
  if (status === "pending") created.open = ends;
  else {
    assert.ok(ends[status], reply.text);
    ends[status]();
  }
}

/** The issuer returns a refund. */
export const failRefund: fc.Arbitrary<Step> = anyOne.map((which) => ({
  words: "a refund comes back",
  can: ({ refunds }, stormy) => !stormy && refunds.length > 0,
  async run(model, merchant) {
    const created = pick(model.refunds, which);
    await merchant.settle(created, model);
    if (created.open) await merchant.settle(created, model);
    const reply = await merchant.post(`/test_helpers/refunds/${created.id}/fail`, {}, "unkept");
    if (created.status === "failed") return expectRejection(reply, "status_transition_invalid");
    assert.equal(reply.status, 200, reply.text);
    created.status = "failed";
    created.charge.refunded -= created.amount;
    model.movements.push({ what: `${created.id} came back`, net: created.amount });
    announce(model, "refund.failed", created.id);
  },
}));
