import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openShop, wrong } from "../shop.ts";
import { minute } from "../test-clock.ts";

const shop = await openShop();
after(() => shop.close());

const asked = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const read = async (id: string) => (await shop.get(`/decisions/${id}`)).body;

test("200: a decision stays unchanged until it is used or expires after 30 minutes", async () => {
  const made = (await shop.post("/decisions", asked)).body;
  assert.deepEqual(await read(made.id), made);
  const used = (await shop.post("/decisions", asked)).body;
  const { id } = (await shop.post("/charges", { ...asked, decision_id: used.id })).body;
  shop.clock.advance(31 * minute);
  const expired = await read(made.id);
  assert.deepEqual(expired, { ...made, status: "expired", version: made.version + 1 });
  const { version, ...facts } = await read(used.id);
  assert.deepEqual({ ...facts, version: 1 }, { ...used, status: "used", charge_id: id });
  assert.ok(version > 1);
});

test("200: every charge has a decision that explains it, also a declined charge", async () => {
  const declined = { ...asked, payment_method_id: "pm_card_visa_chargeDeclinedFraudulent" };
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
    assert.deepEqual(wrong(await shop.get(`/decisions/${id}`)), missing);
  });
}
