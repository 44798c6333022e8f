import assert from "node:assert/strict";
import fc from "fast-check";
import { noFault } from "./acquirer-faults.ts";
import { missDeadline } from "./dispute-steps.ts";
import { age, expectRejection, type Merchant } from "./merchant.ts";
import { cancel, cards, emit, fail, type Model, objectsInProgress } from "./model.ts";
import { recordResponse } from "./payments.ts";
import { anyAmount, anyOne, pick, type Step } from "./step.ts";

const visa = cards[0] as (typeof cards)[number];

export const saveCard: fc.Arbitrary<Step> = fc.constant({
  description: "save a customer's card",
  async run(model, merchant) {
    const customer = (await merchant.post("/customers", { name: "Ada" })).body.id;
    const path = "/payment_methods/pm_card_visa/attach";
    const { status, body, text } = await merchant.post(path, { customer_id: customer });
    assert.deepEqual([status, body.customer_id], [200, customer], text);
    model.savedCards.push({ id: body.id, detached: false });
  },
});

/** Charges a saved card while the customer is absent. A detached card cannot be charged. */
export const chargeSavedCard: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, amount: anyAmount })
  .map(({ which, amount }) => ({
    description: `charge a saved card ${amount}`,
    can: ({ savedCards }) => savedCards.length > 0,
    async run(model, merchant) {
      const saved = pick(model.savedCards, which);
      const params = { amount, currency: "usd", payment_method_id: saved.id, off_session: true };
      const reply = await merchant.post("/charges", params);
      if (saved.detached) return expectRejection(reply, "payment_method_not_available");
      const payment = { card: visa, amount, manual: false, fault: noFault, absent: true };
      recordResponse(model, merchant, reply, payment);
    },
  }));

export const detachCard: fc.Arbitrary<Step> = anyOne.map((which) => ({
  description: "detach a saved card",
  can: ({ savedCards }) => savedCards.length > 0,
  async run(model, merchant) {
    for (const charge of model.charges) await merchant.awaitOutcome(charge, model);
    const saved = pick(model.savedCards, which);
    const reply = await merchant.post(`/payment_methods/${saved.id}/detach`);
    if (saved.detached) return expectRejection(reply, "payment_method_unexpected_state");
    assert.equal(reply.status, 200, reply.text);
    saved.detached = true;
  },
}));

const settlementSeconds = 2 * 86_400;

/** Returns the balance. Payments within the settlement delay are pending. All other amounts are available. */
export function balanceOf({ charges, movements }: Model): { available: number; pending: number } {
  const unsettled = new Set(
    charges
      .filter(({ status, age }) => status === "succeeded" && age < settlementSeconds)
      .map(({ id }) => id),
  );
  const sum = (some: Model["movements"]) => some.reduce((total, { net }) => total + net, 0);
  const isPending = ({ what }: Model["movements"][0]) => unsettled.has(what);
  return {
    available: sum(movements.filter((movement) => !isPending(movement))),
    pending: sum(movements.filter(isPending)),
  };
}

/** The minimum payout in US cents. */
const minPayout = 50;

export const createPayout: fc.Arbitrary<Step> = fc
  .record({ tooMuch: fc.boolean(), fails: fc.boolean() })
  .map(({ tooMuch, fails }) => ({
    description: `pay out ${tooMuch ? "more than " : ""}the available balance${fails ? ", and the payout fails" : ""}`,
    can: ({ movements }) => movements.length > 0,
    async run(model, merchant) {
      // Operations in progress may change the balance.
      await awaitAll(model, merchant);
      const { available } = balanceOf(model);
      const amount = tooMuch ? Math.max(minPayout, available + 1) : Math.max(1, available);
      const reply = await merchant.post("/payouts", { amount, currency: "usd" });
      if (amount < minPayout) return expectRejection(reply, "amount_too_small");
      if (amount > available) return expectRejection(reply, "balance_insufficient");
      assert.deepEqual([reply.status, reply.body.status], [201, "pending"], reply.text);
      const { id } = reply.body;
      model.movements.push({ what: id, net: -amount });
      const payout: Model["payouts"][0] = { id, amount, status: "pending", outcomes: null };
      model.payouts.push(payout);
      const arrived = (): void => {
        payout.status = "paid";
        emit(model, "payout.paid", id);
      };
      if (fails && !merchant.environment.hasInterruptions) {
        payout.outcomes = { in_transit: () => undefined };
        await merchant.awaitOutcome(payout, model);
        const path = `/test_helpers/payouts/${id}/fail`;
        const failed = await merchant.post(path, {}, "unstored");
        // The payout may have been paid before the test helper could fail it.
        if (failed.status === 200) {
          payout.status = "failed";
          model.movements.push({ what: `${id} was returned`, net: amount });
          emit(model, "payout.failed", id);
          return;
        }
        expectRejection(failed, "status_transition_invalid");
      }
      payout.outcomes = { paid: arrived };
    },
  }));

async function awaitAll(model: Model, merchant: Merchant): Promise<void> {
  for (const object of objectsInProgress(model)) {
    while (object.outcomes) await merchant.awaitOutcome(object, model);
  }
}

const hour = 3_600;
const day = 24 * hour;

/** Durations in hours. No sum of a few of them equals a deadline. */
export const advanceTime: fc.Arbitrary<Step> = fc.constantFrom(5, 31, 52, 197).map((hours) => ({
  description: `advance the clock by ${hours} hours`,
  async run(model, merchant) {
    await awaitAll(model, merchant);
    const { status, text } = await merchant.post("/test_helpers/clock/advance", {
      seconds: hours * hour,
    });
    assert.equal(status, 200, text);
    age(model, hours * hour);
    for (const decision of model.decisions) decision.expired = true;
    for (const charge of model.charges) {
      if (charge.status === "requires_action") {
        charge.outcomes = { failed: () => fail(model, charge, null) };
      }
      if (charge.status === "authorized" && charge.age >= 7 * day) {
        charge.outcomes = { canceled: () => cancel(model, charge) };
      }
    }
    for (const session of model.sessions) {
      if (session.status !== "open" || session.age < day) continue;
      session.outcomes = {
        expired: () => {
          session.status = "expired";
          emit(model, "checkout_session.expired", session.id);
        },
      };
    }
    await awaitAll(model, merchant);
    for (const dispute of model.disputes) {
      if (dispute.status === "needs_response" && dispute.age >= 14 * day)
        missDeadline(model, dispute);
    }
    await awaitAll(model, merchant);
  },
}));

/** Repeats an earlier request, which returns the same response and has no effect. With another body, it is rejected. */
export const repeatRequest: fc.Arbitrary<Step> = fc
  .record({ which: fc.nat(20), differs: fc.boolean() })
  .map(({ which, differs }) => ({
    description: differs ? "reuse a key with another body" : "repeat an earlier request",
    async run(_model, merchant) {
      if (merchant.completedRequests.length === 0) return;
      const former = pick(merchant.completedRequests, which);
      if (differs) {
        const other = await merchant.again(former, { ...former.body, metadata: { other: "1" } });
        return expectRejection(other, "idempotency_key_in_use");
      }
      const { status, text, headers } = await merchant.again(former);
      assert.deepEqual([status, text], [former.status, former.text]);
      assert.equal(headers.get("idempotent-replayed"), "true", former.path);
    },
  }));
