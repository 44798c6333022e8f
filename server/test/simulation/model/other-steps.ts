import assert from "node:assert/strict";
import fc from "fast-check";
import { well } from "./acquirer-faults.ts";
import { runOut } from "./dispute-steps.ts";
import { age, expectRejection, type Merchant } from "./merchant.ts";
import { announce, cancel, cards, everything, fail, type Model } from "./model.ts";
import { recordResponse } from "./payments.ts";
import { anyAmount, anyOne, pick, type Step } from "./step.ts";

const visa = cards[0] as (typeof cards)[number];

export const saveCard: fc.Arbitrary<Step> = fc.constant({
  words: "save a customer's card",
  async run(model, merchant) {
    const customer = (await merchant.post("/customers", { name: "Ada" })).body.id;
    const path = "/payment_methods/pm_card_visa/attach";
    const { status, body, text } = await merchant.post(path, { customer_id: customer });
    assert.deepEqual([status, body.customer_id], [200, customer], text);
    model.savedCards.push({ id: body.id, detached: false });
  },
});

/** The customer is absent. A detached card cannot be charged. */
export const payAbsent: fc.Arbitrary<Step> = fc
  .record({ which: anyOne, amount: anyAmount })
  .map(({ which, amount }) => ({
    words: `charge a saved card ${amount}`,
    can: ({ savedCards }) => savedCards.length > 0,
    async run(model, merchant) {
      const saved = pick(model.savedCards, which);
      const params = { amount, currency: "usd", payment_method_id: saved.id, off_session: true };
      const reply = await merchant.post("/charges", params);
      if (saved.detached) return expectRejection(reply, "payment_method_not_available");
      const payment = { card: visa, amount, manual: false, trouble: well, absent: true };
      recordResponse(model, merchant, reply, payment);
    },
  }));

export const detachCard: fc.Arbitrary<Step> = anyOne.map((which) => ({
  words: "detach a saved card",
  can: ({ savedCards }) => savedCards.length > 0,
  async run(model, merchant) {
    for (const charge of model.charges) await merchant.settle(charge, model);
    const saved = pick(model.savedCards, which);
    const reply = await merchant.post(`/payment_methods/${saved.id}/detach`);
    if (saved.detached) return expectRejection(reply, "payment_method_unexpected_state");
    assert.equal(reply.status, 200, reply.text);
    saved.detached = true;
  },
}));

const settlementSeconds = 2 * 86_400;

/** Returns the balance. All movements are available except those of payments still within the settlement delay. */
export function balanceOf({ charges, movements }: Model): { available: number; pending: number } {
  const newEvents = new Set(
    charges
      .filter(({ status, age }) => status === "succeeded" && age < settlementSeconds)
      .map(({ id }) => id),
  );
  const sum = (some: Model["movements"]) => some.reduce((total, { net }) => total + net, 0);
  const isPending = ({ what }: Model["movements"][0]) => newEvents.has(what);
  return {
    available: sum(movements.filter((one) => !isPending(one))),
    pending: sum(movements.filter(isPending)),
  };
}

/** In US cents. */
const minPayout = 50;

export const payOut: fc.Arbitrary<Step> = fc
  .record({ tooMuch: fc.boolean(), fails: fc.boolean() })
  .map(({ tooMuch, fails }) => ({
    words: `pay out ${tooMuch ? "more than there is" : "what there is"}${fails ? ", in vain" : ""}`,
    can: ({ movements }) => movements.length > 0,
    async run(model, merchant) {
      // Operations in progress may change the balance.
      await settleAll(model, merchant);
      const { available } = balanceOf(model);
      const amount = tooMuch ? Math.max(minPayout, available + 1) : Math.max(1, available);
      const reply = await merchant.post("/payouts", { amount, currency: "usd" });
      if (amount < minPayout) return expectRejection(reply, "amount_too_small");
      if (amount > available) return expectRejection(reply, "balance_insufficient");
      assert.deepEqual([reply.status, reply.body.status], [201, "pending"], reply.text);
      const { id } = reply.body;
      model.movements.push({ what: id, net: -amount });
      const payout: Model["payouts"][0] = { id, amount, status: "pending", open: null };
      model.payouts.push(payout);
      const arrived = (): void => {
        payout.status = "paid";
        announce(model, "payout.paid", id);
      };
      if (fails && !merchant.environment.stormy) {
        payout.open = { in_transit: () => undefined };
        await merchant.settle(payout, model);
        const path = `/test_helpers/payouts/${id}/fail`;
        const failed = await merchant.post(path, {}, "unkept");
        // The payout may have arrived in the same moment.
        if (failed.status === 200) {
          payout.status = "failed";
          model.movements.push({ what: `${id} came back`, net: amount });
          announce(model, "payout.failed", id);
          return;
        }
        expectRejection(failed, "status_transition_invalid");
      }
      payout.open = { paid: arrived };
    },
  }));

async function settleAll(model: Model, merchant: Merchant): Promise<void> {
  for (const one of everything(model)) while (one.open) await merchant.settle(one, model);
}

const hour = 3_600;
const day = 24 * hour;

/** Durations in hours of which no small sum equals a deadline. */
export const passTime: fc.Arbitrary<Step> = fc.constantFrom(5, 31, 52, 197).map((hours) => ({
  words: `${hours} hours pass`,
  async run(model, merchant) {
    await settleAll(model, merchant);
    const { status, text } = await merchant.post("/test_helpers/clock/advance", {
      seconds: hours * hour,
    });
    assert.equal(status, 200, text);
    age(model, hours * hour);
    for (const decision of model.decisions) decision.expired = true;
    for (const charge of model.charges) {
      if (charge.status === "requires_action") {
        charge.open = { failed: () => fail(model, charge, null) };
      }
      if (charge.status === "authorized" && charge.age >= 7 * day) {
        charge.open = { canceled: () => cancel(model, charge) };
      }
    }
    for (const session of model.sessions) {
      if (session.status !== "open" || session.age < day) continue;
      session.open = {
        expired: () => {
          session.status = "expired";
          announce(model, "checkout_session.expired", session.id);
        },
      };
    }
    await settleAll(model, merchant);
    for (const dispute of model.disputes) {
      if (dispute.status === "needs_response" && dispute.age >= 14 * day) runOut(model, dispute);
    }
    await settleAll(model, merchant);
  },
}));

/** Repeats an earlier request: the response is the same and has no effect. With another body it is rejected. */
export const repeat: fc.Arbitrary<Step> = fc
  .record({ which: fc.nat(20), differs: fc.boolean() })
  .map(({ which, differs }) => ({
    words: differs ? "use a key again for something else" : "send a former request again",
    async run(_model, merchant) {
      if (merchant.answeredRequests.length === 0) return;
      const former = pick(merchant.answeredRequests, which);
      if (differs) {
        const other = await merchant.again(former, { ...former.body, metadata: { other: "1" } });
        return expectRejection(other, "idempotency_key_in_use");
      }
      const { status, text, headers } = await merchant.again(former);
      assert.deepEqual([status, text], [former.status, former.text]);
      assert.equal(headers.get("idempotent-replayed"), "true", former.path);
    },
  }));
