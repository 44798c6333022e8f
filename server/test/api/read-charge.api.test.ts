import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

test("200: a read returns every field of the charge as its creation did", async () => {
  for (const change of [
    {},
    { capture_method: "manual" },
    { payment_method_id: "pm_card_authenticationRequired" },
    { currency: "jpy", metadata: { order: "7" }, description: "Order 7" },
  ]) {
    const created = await shop.post("/charges", { ...visa, ...change });
    const read = await shop.get(`/charges/${created.body.id}`);
    assert.equal(read.status, 200);
    assert.deepEqual(read.body, created.body);
  }
});

test("200 and 404: in concurrent reads each merchant reads only its own charges", async () => {
  const { merchant, otherMerchant: stranger } = shop;
  const ownCharges = await Promise.all([1, 2, 3].map(() => shop.post("/charges", visa)));
  const otherCharges = await Promise.all(
    [1, 2].map(() => shop.post("/charges", visa, { as: stranger.key })),
  );
  const requested = [merchant, stranger].flatMap(({ key }) =>
    // Requests each charge twice. Concurrent reads are batched into one statement, so a batch can contain the same
    // charge twice.
    [...ownCharges, ...otherCharges, ...otherCharges, ...ownCharges].map(({ body }) => ({
      key,
      charge: body,
    })),
  );
  const replies = await Promise.all(
    requested.map(({ key, charge }) => shop.get(`/charges/${charge.id}`, { as: key })),
  );
  for (const [index, { key, charge }] of requested.entries()) {
    const isTheirOwn = ownCharges.some(({ body }) => body === charge) === (key === merchant.key);
    const { status, body } = replies[index] as (typeof replies)[number];
    assert.equal(status, isTheirOwn ? 200 : 404);
    if (isTheirOwn) assert.deepEqual(body, charge);
  }
});

test("200: a declined charge can be read although its creation returned an error", async () => {
  const declined = { ...visa, payment_method_id: "pm_card_visa_chargeDeclinedLostCard" };
  const { error } = (await shop.post("/charges", declined)).body;
  const { status, body } = await shop.get(`/charges/${error.charge}`);
  assert.deepEqual(
    [status, body.status, body.decline_code, body.outcome.reason, body.outcome.network_status],
    [200, "failed", "lost_card", "lost_card", "declined_by_network"],
  );
  // The customer's message must not reveal that the card is reported lost.
  assert.doesNotMatch(body.failure_message, /lost/i);
});

test("200: outcome.reason is null for an approval by a rule, and set for a charge held for review", async () => {
  const charge = async (payment_method_id: string) =>
    (await shop.post("/charges", { ...visa, payment_method_id })).body;
  const rule = { expression: "risk_level == 'highest'", outcome: "approve" };
  const { id } = (await shop.post("/rules", rule)).body;
  const approved = await charge("pm_card_riskLevelHighest");
  await shop.delete(`/rules/${id}`);
  assert.deepEqual([approved.status, approved.outcome.reason], ["succeeded", null]);
  assert.deepEqual(approved.outcome.reasons, ["card_risk_highest"]);
  const held = await charge("pm_card_riskLevelElevated");
  assert.deepEqual([held.status, held.outcome.reason], ["authorized", "card_risk_elevated"]);
});

for (const id of [
  "ch_01jb0000000000000000000000",
  "cs_01jb0000000000000000000000",
  "ch_1",
  "%20",
]) {
  test(`404: rejects ${id}`, async () => {
    assert.deepEqual(errorOf(await shop.get(`/charges/${id}`)), [
      404,
      "invalid_request_error",
      "resource_missing",
      "id",
    ]);
  });
}
