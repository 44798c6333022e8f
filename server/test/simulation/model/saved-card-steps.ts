import assert from "node:assert/strict";
import fc from "fast-check";
import { noFault } from "./acquirer-faults.ts";
import { expectRejection } from "./merchant.ts";
import { cards } from "./model.ts";
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
