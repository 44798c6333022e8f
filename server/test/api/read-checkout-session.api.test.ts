import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const read = async (id: string) => (await shop.get(`/checkout_sessions/${id}`)).body;

test("200: a session shows its status, its successful charge and the number of attempts", async () => {
  const { session, pay } = await createCheckout(shop, { client_reference_id: "order-7" });
  assert.deepEqual([(await read(session)).status, (await read(session)).charge_id], ["open", null]);
  await pay("4000000000000002");
  const declined = await read(session);
  assert.deepEqual(
    [declined.status, declined.attempts, declined.last_payment_error.decline_code],
    ["open", 1, "generic_decline"],
  );
  await pay("4242424242424242");
  const paid = await read(session);
  assert.deepEqual(
    [paid.status, paid.payment_status, paid.attempts, paid.last_payment_error],
    ["complete", "paid", 2, null],
  );
  assert.ok(paid.version > declined.version);
  const charge = (await shop.get(`/charges/${paid.charge_id}`)).body;
  assert.deepEqual([charge.status, charge.checkout_session_id], ["succeeded", session]);
});

test("200: the merchant can read the decline code, even if it is hidden from the customer", async () => {
  const browser = await createCheckout(shop);
  await browser.pay("4000000000009987");
  assert.equal((await read(browser.session)).last_payment_error.decline_code, "lost_card");
});

for (const id of ["cs_01jb0000000000000000000000", "ch_01jb0000000000000000000000", "cs_1"]) {
  test(`404: rejects ${id}`, async () => {
    assert.deepEqual(errorOf(await shop.get(`/checkout_sessions/${id}`)), [
      404,
      "invalid_request_error",
      "resource_missing",
      "id",
    ]);
  });
}
