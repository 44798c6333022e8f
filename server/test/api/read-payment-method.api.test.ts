import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testMethods } from "../../src/cards/payment-methods/test-methods.ts";
import { createCheckout } from "../checkout.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const read = async (id: string) => (await shop.get(`/payment_methods/${id}`)).body;

test("200: a typed card shows brand, last four digits, expiry, funding, country, networks and fingerprint only", async () => {
  const { type } = await createCheckout(shop);
  const { payment_method_id } = (await type("4000056655665556")).body;
  const { status, body, text } = await shop.get(`/payment_methods/${payment_method_id}`);
  assert.equal(status, 200);
  const { fingerprint, exp_year, ...card } = body.card;
  assert.deepEqual(card, {
    brand: "visa",
    last4: "5556",
    exp_month: 12,
    funding: "debit",
    country: "US",
    networks: { available: ["visa"], preferred: null },
  });
  assert.match(fingerprint, /^[0-9A-Za-z]{16}$/);
  assert.ok(exp_year > 2025);
  assert.doesNotMatch(text, /400005665566|cvc/);
});

test("200: a card number has one fingerprint per merchant", async () => {
  const typed = async () => {
    const { type } = await createCheckout(shop);
    return read((await type("4242424242424242")).body.payment_method_id);
  };
  const [first, second] = [await typed(), await typed()];
  assert.notEqual(first.id, second.id);
  assert.equal(first.card.fingerprint, second.card.fingerprint);
  assert.equal((await read("pm_card_visa")).card.fingerprint, first.card.fingerprint);
  assert.notEqual((await read("pm_card_mastercard")).card.fingerprint, first.card.fingerprint);
  const otherReply = await shop.get("/payment_methods/pm_card_visa", {
    as: shop.otherMerchant.key,
  });
  assert.notEqual(otherReply.body.card.fingerprint, first.card.fingerprint);
});

test("200: every fixed test name can be read", async () => {
  for (const { name, card } of testMethods) {
    const method = await read(name);
    assert.deepEqual([method.id, method.card.brand], [name, card.brand]);
  }
});

for (const id of [
  "pm_01jb0000000000000000000000",
  "pm_card_none",
  "ch_01jb0000000000000000000000",
]) {
  test(`404: rejects ${id}`, async () => {
    const missing = [404, "invalid_request_error", "resource_missing", "id"];
    assert.deepEqual(errorOf(await shop.get(`/payment_methods/${id}`)), missing);
  });
}
