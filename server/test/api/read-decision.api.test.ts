import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf, startShop } from "../shop.ts";
import { minute } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());

const requested = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const read = async (id: string) => (await shop.get(`/decisions/${id}`)).body;

test("200: a decision stays unchanged until it is used or expires after 30 minutes", async () => {
  const created = (await shop.post("/decisions", requested)).body;
  assert.deepEqual(await read(created.id), created);
  const used = (await shop.post("/decisions", requested)).body;
  const { id } = (await shop.post("/charges", { ...requested, decision_id: used.id })).body;
  shop.clock.advance(31 * minute);
  const expired = await read(created.id);
  assert.deepEqual(expired, { ...created, status: "expired", version: created.version + 1 });
  const { version, ...fields } = await read(used.id);
  assert.deepEqual({ ...fields, version: 1 }, { ...used, status: "used", charge_id: id });
  assert.ok(version > 1);
});

test("200: every charge, even a declined charge, has a decision that explains it", async () => {
  const declined = { ...requested, payment_method_id: "pm_card_visa_chargeDeclinedFraudulent" };
  const { charge } = (await shop.post("/charges", declined)).body.error;
  const { decision_id } = (await shop.get(`/charges/${charge}`)).body;
  const decision = await read(decision_id);
  assert.deepEqual(
    [decision.outcome, decision.status, decision.charge_id, decision.reasons],
    ["decline", "used", charge, ["card_blocked"]],
  );
});

for (const id of ["dec_01jb0000000000000000000000", "ch_01jb0000000000000000000000", "dec_"]) {
  test(`404: rejects ${id}`, async () => {
    const missing = [404, "invalid_request_error", "resource_missing", "id"];
    assert.deepEqual(errorOf(await shop.get(`/decisions/${id}`)), missing);
  });
}
