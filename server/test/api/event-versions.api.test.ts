import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

type Event = { type: string; data: { object: { id: string; version: number } } };

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const post = async (path: string, body: object = {}) => (await shop.post(path, body)).body;

test("every event's object has a version that increases with each change", async () => {
  const endpoint = (await post("/webhook_endpoints", { url: "http://127.0.0.1:9/" })).id;
  await post(`/webhook_endpoints/${endpoint}/ping`);
  await post(`/webhook_endpoints/${endpoint}`, { description: "changed" });
  await post(`/webhook_endpoints/${endpoint}/ping`);

  const held = (await post("/charges", { ...visa, capture_method: "manual" })).id;
  await post(`/charges/${held}/capture`);
  const disputed = (await post("/charges", visa)).id;
  const dispute = (await post("/test_helpers/disputes", { charge_id: disputed })).id;
  await post(`/test_helpers/disputes/${dispute}/close`, { outcome: "lost" });
  const refund = (await post("/refunds", { charge_id: held, amount: 500 })).id;
  await post(`/test_helpers/refunds/${refund}/fail`);
  await (await createCheckout(shop)).pay("4242424242424242");
  await post("/rules", { expression: "amount == 4711", outcome: "review" });
  await post("/charges", { ...visa, amount: 4711 });
  await post("/account", { payout_schedule: "daily" });
  await post("/account", { payout_schedule: "manual" });

  const { data } = (await shop.get("/events?limit=100")).body as { data: Event[] };
  const types = new Set(data.map(({ type }) => type));
  for (const type of ["ping", "dispute.closed", "refund.failed", "account.updated"]) {
    assert(types.has(type), `no ${type} event was emitted`);
  }
  assert(types.has("decision.review_opened") && types.has("checkout_session.completed"));
  for (const events of Map.groupBy(data.reverse(), ({ data: { object } }) => object.id).values()) {
    for (const [index, { type, data }] of events.entries()) {
      const { object } = data;
      const before = events[index - 1]?.data.object;
      assert(Number.isInteger(object.version), `${type} has no version`);
      assert(object.version >= (before?.version ?? 1), `the version of ${type} decreased`);
      // Events with the same version must contain the same object.
      if (before?.version === object.version) assert.deepEqual(object, before, type);
    }
  }
});
