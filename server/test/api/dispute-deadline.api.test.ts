import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf, startShop } from "../shop.ts";
import { day } from "../test-clock.ts";

// Without workers, so that no job closes the dispute after its deadline.
const shop = await startShop({ workers: false });
after(() => shop.close());

test("400: rejects evidence after the last day and names that day", async () => {
  const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
  const { id: charge_id } = (await shop.post("/charges", visa)).body;
  const { body: dispute } = await shop.post("/test_helpers/disputes", { charge_id });
  shop.clock.advance(30 * day);
  const evidence = { uncategorized_text: "It was delivered." };
  const late = await shop.post(`/disputes/${dispute.id}/evidence`, evidence);
  assert.deepEqual(errorOf(late), [
    400,
    "invalid_request_error",
    "dispute_evidence_past_due",
    "id",
  ]);
  const lastDay = new Date(dispute.evidence_due_by * 1000).toISOString().slice(0, 10);
  assert.ok(late.body.error.message.includes(lastDay), late.body.error.message);
});
