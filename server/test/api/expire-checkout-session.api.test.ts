import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { hour } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());

const expire = (id: string) => shop.post(`/checkout_sessions/${id}/expire`, {});
const read = async (id: string) => (await shop.get(`/checkout_sessions/${id}`)).body;
const rejected = (code: string) => [400, "invalid_request_error", code, "id"];

test("200: the merchant expires an open session, and one event is emitted", async () => {
  const { session } = await createCheckout(shop);
  const { status, body } = await expire(session);
  assert.deepEqual([status, body.status, body.payment_status], [200, "expired", "unpaid"]);
  assert.deepEqual(await read(session), body);
  const events = await shop.events(session);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["checkout_session.expired"],
  );
  assert.deepEqual(events[0].data.object, body);
});

test("200: a session expires automatically at expires_at, with the same event and without a request id", async () => {
  const { session } = await createCheckout(shop, { expires_in: 1800 });
  shop.clock.advance(hour);
  await until(
    () => read(session),
    ({ status }) => status === "expired",
  );
  const [event, ...more] = await shop.events(session);
  assert.deepEqual([event.type, event.request, more], ["checkout_session.expired", null, []]);
});

test("200: a session with a payment in progress does not expire", async () => {
  const browser = await createCheckout(shop, { expires_in: 1800, amount: 9_004_001 });
  const { body } = await browser.confirm("pm_card_visa");
  assert.equal(body.status, "processing");
  assert.deepEqual(errorOf(await expire(browser.session)), rejected("session_in_progress"));
  shop.clock.advance(hour);
  const session = await until(
    () => read(browser.session),
    ({ status }) => status !== "processing",
  );
  assert.deepEqual([session.status, session.payment_status], ["complete", "paid"]);
});

test("400: rejects expiring a session that awaits 3-D Secure, was paid or has expired", async () => {
  const waiting = await createCheckout(shop);
  await waiting.pay("4000002760003184");
  assert.deepEqual(errorOf(await expire(waiting.session)), rejected("session_in_progress"));

  const paid = await createCheckout(shop);
  await paid.pay("4242424242424242");
  const complete = await expire(paid.session);
  assert.deepEqual(errorOf(complete), rejected("session_already_complete"));
  assert.match(complete.body.error.message, / Retrieve the session for its result\.$/);

  const expired = await createCheckout(shop);
  await expire(expired.session);
  const again = await expire(expired.session);
  assert.deepEqual(errorOf(again), rejected("session_expired"));
  assert.match(again.body.error.message, /'expired'.*'open'.* Create a new checkout session/);
});

test("200 or 400: of a concurrent expiry and payment exactly one takes effect", async () => {
  for (let round = 0; round < 8; round++) {
    const browser = await createCheckout(shop);
    const [expiry] = await Promise.all([expire(browser.session), browser.confirm("pm_card_visa")]);
    const session = await until(
      () => read(browser.session),
      ({ status }) => status !== "processing",
    );
    const charges = (await shop.get(`/charges?checkout_session_id=${browser.session}`)).body.data;
    if (expiry.status === 200) {
      assert.deepEqual([session.status, charges], ["expired", []]);
    } else {
      assert.deepEqual([session.status, charges.length], ["complete", 1]);
    }
  }
});

test("404: rejects an unknown session", async () => {
  assert.deepEqual(errorOf(await expire("cs_01jb0000000000000000000000")), [
    404,
    "invalid_request_error",
    "resource_missing",
    "id",
  ]);
});
