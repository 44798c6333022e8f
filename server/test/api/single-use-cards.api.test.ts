import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Browser, createCheckout } from "../checkout.ts";
import { errorOf, startShop } from "../shop.ts";
import { day } from "../test-clock.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const unexpected = "payment_method_unexpected_state";
const rejected = [400, "invalid_request_error", unexpected, "payment_method_id"];
const charge = (payment_method_id: string, more: object = {}) =>
  shop.post("/charges", { amount: 777, currency: "usd", payment_method_id, ...more });
const decide = (payment_method_id: string) =>
  shop.post("/decisions", { amount: 777, currency: "usd", payment_method_id });
const typed = async (browser: Browser, number = "4242424242424242"): Promise<string> =>
  (await browser.type(number)).body.payment_method_id;

/** Asserts that the card cannot be used outside its session in any way. */
async function assertUnusable(id: string): Promise<void> {
  const customer = (await shop.post("/customers", {})).body.id;
  for (const more of [{}, { off_session: true }, { customer_id: customer }]) {
    assert.deepEqual(errorOf(await charge(id, more)), rejected, JSON.stringify(more));
  }
  assert.deepEqual(errorOf(await decide(id)), rejected);
  const attached = await shop.post(`/payment_methods/${id}/attach`, { customer_id: customer });
  assert.equal(attached.body.error.code, unexpected);
  const other = await createCheckout(shop, { customer_id: customer });
  assert.equal((await other.confirm(id)).body.error.code, "resource_missing");
}

test("400: rejects a charge of a single-use card outside its session after the session was paid", async () => {
  const browser = await createCheckout(shop);
  const id = await typed(browser);
  assert.equal((await browser.confirm(id)).body.status, "complete");
  await assertUnusable(id);
});

test("400: rejects a charge of a single-use card outside its session after a decline", async () => {
  const browser = await createCheckout(shop);
  const id = await typed(browser, "4000000000000002");
  assert.equal((await browser.confirm(id)).body.status, "open");
  await assertUnusable(id);
});

test("400: rejects a charge of a single-use card outside its session before any payment", async () => {
  const browser = await createCheckout(shop);
  const id = await typed(browser);
  await assertUnusable(id);
  assert.equal(
    (await browser.confirm(id)).body.status,
    "complete",
    "the card can pay in its own session",
  );
});

test("400: a card of an unpaid expired session can never be charged, even 180 days later", async () => {
  const browser = await createCheckout(shop);
  const id = await typed(browser);
  await shop.post(`/checkout_sessions/${browser.session}/expire`, {});
  await assertUnusable(id);
  shop.clock.advance(180 * day);
  await assertUnusable(id);
});

test("400: consent saves no card until a payment succeeds", async () => {
  const { id: customer_id } = (await shop.post("/customers", {})).body;
  const browser = await createCheckout(shop, { customer_id, save_payment_method: true });
  const id = await typed(browser, "4000000000009995");
  assert.equal((await browser.confirm(id, "declined with consent", true)).body.status, "open");
  await assertUnusable(id);
});

test("of many concurrent uses of one card, only one in the card's own session succeeds", async () => {
  const browser = await createCheckout(shop);
  const id = await typed(browser);
  const [first, second, ...others] = await Promise.all([
    browser.confirm(id),
    browser.confirm(id),
    charge(id),
    charge(id, { off_session: true }),
    decide(id),
  ]);
  assert.deepEqual(others.map(errorOf), [rejected, rejected, rejected]);
  assert.ok([first, second].some(({ body }) => body.status === "complete"));
  const { body } = await shop.get(`/charges?payment_method_id=${id}`);
  assert.deepEqual(
    body.data.map(({ status }: { status: string }) => status),
    ["succeeded"],
  );
});

test("201: saved cards and fixed test names can be charged repeatedly", async () => {
  const { id: customer_id } = (await shop.post("/customers", {})).body;
  const browser = await createCheckout(shop, { customer_id, save_payment_method: true });
  const id = await typed(browser);
  assert.equal((await browser.confirm(id, "saved", true)).body.status, "complete");
  for (const method of [id, id, "pm_card_visa", "pm_card_visa"]) {
    assert.equal((await charge(method)).body.status, "succeeded");
    assert.equal((await decide(method)).status, 201);
  }
});
