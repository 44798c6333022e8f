import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, test } from "node:test";
import { type CheckoutSessionId, newId, uuidOf } from "../../src/core/ids.ts";
import { expireSession } from "../../src/payments/checkout/expire-session.ts";
import { readSessionById } from "../../src/payments/sessions/checkout-session.sql.ts";
import { type Browser, createCheckout } from "../checkout.ts";
import { queueBehind } from "../queue-behind.ts";
import { startShop } from "../shop.ts";
import { requestToken, storeToken } from "../wallet.ts";

// Tests confirmations of a session that run at the same time as another change of the session.
const shop = await startShop({ workers: false });
after(() => shop.close());
const { database } = shop.app;

const rounds = 4;

type StoredCharge = { readonly status: string; readonly idempotency_key: string };

const chargesOf = (session: string) =>
  database.read<StoredCharge>`
    select status, idempotency_key
      from charges
     where checkout_session_id = ${uuidOf(session as CheckoutSessionId)}`;

async function savedCards(customer: string): Promise<string[]> {
  const { data } = (await shop.get(`/payment_methods?customer_id=${customer}`)).body;
  return data.map(({ id }: { id: string }) => id);
}

for (const choices of [
  [true, false],
  [false, true],
] as const) {
  test(`of two simultaneous confirmations, one charges, and its choice whether to save the card applies (${choices.join(", ")})`, async () => {
    for (let round = 0; round < rounds; round++) {
      const customer_id = (await shop.post("/customers", { name: "Ada" })).body.id;
      const browser = await createCheckout(shop, { customer_id, save_payment_method: true });
      const { payment_method_id } = (await browser.type("4242424242424242")).body;
      const replies = await Promise.all(
        choices.map((save) => browser.confirm(payment_method_id, `save ${save}`, save)),
      );
      for (const { status, text } of replies) assert.equal(status, 200, text);
      const [charge, ...others] = await chargesOf(browser.session);
      assert.deepEqual([charge?.status, others], ["succeeded", []]);
      const saves = choices.find(
        (save) =>
          charge?.idempotency_key === `${browser.session} ${hash("sha256", `save ${save}`)}`,
      );
      assert.ok(saves !== undefined, "the charge has the key of a confirmation");
      assert.deepEqual(await savedCards(customer_id), saves ? [payment_method_id] : []);
    }
  });
}

for (const isEnded of [false, true]) {
  const outcome = isEnded ? "shows the outcome of a session that has ended" : "is an error";
  test(`a confirmation whose card is rejected ${outcome}`, async () => {
    const browser = await createCheckout(shop);
    const session = await readSessionById(database.read, browser.session as CheckoutSessionId);
    assert.ok(session);
    const missing = newId("pm", shop.clock.now());
    const [reply] = await queueBehind(database, {
      lock: (tx) => tx`lock table payment_methods in access exclusive mode`,
      requests: [() => browser.confirm(missing)],
      beforeRelease: async (tx) => {
        if (isEnded) await expireSession(tx, session, { cause: null, now: session.expiresAt });
      },
    });
    assert.ok(reply);
    const { status, body } = reply;
    if (isEnded) assert.deepEqual([status, body.status], [200, "expired"]);
    else assert.deepEqual([status, body.error.code], [400, "resource_missing"]);
  });
}

/** Expires the session as the job does. Returns whether the session was open. */
async function expire(session: string): Promise<boolean> {
  const stored = await readSessionById(database.read, session as CheckoutSessionId);
  assert.ok(stored);
  const context = { cause: null, now: stored.expiresAt };
  const expired = await database.transaction((tx) => expireSession(tx, stored, context));
  return expired !== null;
}

async function storeWalletToken(browser: Browser): Promise<string> {
  const stored = await storeToken(shop, browser, await requestToken(shop, browser));
  assert.equal(stored.status, 201, stored.text);
  return stored.body.payment_method_id;
}

test("a wallet's token that is confirmed while its session expires either pays or moves no money", async () => {
  for (let round = 0; round < rounds; round++) {
    const browser = await createCheckout(shop);
    const token = await storeWalletToken(browser);
    // In half of the rounds, the confirmation starts earlier.
    const confirmed = browser.confirm(token);
    if (round % 2 === 0) await browser.readSession();
    const [isExpired, { status, text }] = await Promise.all([expire(browser.session), confirmed]);
    assert.equal(status, 200, text);
    const session = (await shop.get(`/checkout_sessions/${browser.session}`)).body;
    const charges = (await chargesOf(browser.session)).map((charge) => charge.status);
    const events = (await shop.events(browser.session)).map(({ type }) => type);
    assert.deepEqual(
      [session.status, charges, events],
      isExpired
        ? ["expired", [], ["checkout_session.expired"]]
        : ["complete", ["succeeded"], ["checkout_session.completed"]],
    );
  }
});

test("a wallet's token that is confirmed at the expiry time moves no money, although the session is still stored as open", async () => {
  const browser = await createCheckout(shop);
  const token = await storeWalletToken(browser);
  const stored = await readSessionById(database.read, browser.session as CheckoutSessionId);
  assert.ok(stored);
  shop.clock.stop();
  shop.clock.advance(stored.expiresAt.getTime() - shop.clock.now().getTime());
  assert.equal((await browser.confirm(token)).body.status, "expired");
  assert.deepEqual(await chargesOf(browser.session), []);
});
