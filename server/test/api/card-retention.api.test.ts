import assert from "node:assert/strict";
import { after, test } from "node:test";
import { eraseCustomer } from "../../src/cards/customers/customer.sql.ts";
import { detachAllOf } from "../../src/cards/payment-methods/payment-method.sql.ts";
import { type AccountId, uuidOf } from "../../src/core/ids.ts";
import { defaultOptions, verify } from "../../src/insights/verify/verify.ts";
import {
  eraseCardsOfClosedAccounts,
  eraseCardsOfEndedSessions,
  eraseCardsOfUnresolvedSessions,
} from "../../src/payments/checkout/card-retention.sql.ts";
import { maxCardsPerSession } from "../../src/payments/sessions/checkout-session.ts";
import { createCardholder, rightCode, submitToIssuer } from "../cardholder.ts";
import { startChallenge } from "../challenge.ts";
import { type Browser, createCheckout } from "../checkout.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { day, hour } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());

const goodCard = "4242424242424242";
const declinedCard = "4000000000000002";

async function cardsOf(account: AccountId = shop.merchant.account): Promise<number> {
  const [row] = await shop.app.database.read<{ count: number }>`
    select count(*)::integer as count from vault_cards where account_id = ${uuidOf(account)}`;
  return row?.count ?? 0;
}

async function isStored(paymentMethod: string): Promise<boolean> {
  const rows = await shop.app.database.read`
    select 1 from vault_cards where id = ${uuidOf(paymentMethod as `pm_${string}`)}`;
  return rows.length === 1;
}

const waitUntilErased = (paymentMethod: string) =>
  until(
    () => isStored(paymentMethod),
    (stored) => !stored,
  );

/** Deletes the cards that the job would delete in its next run. */
const erase = () => shop.app.database.transaction((tx) => eraseCardsOfEndedSessions(tx, 200));

const eraseUnresolved = () =>
  shop.app.database.transaction((tx) => eraseCardsOfUnresolvedSessions(tx, shop.clock.now(), 200));

const typed = async (browser: Browser, number = goodCard): Promise<string> =>
  (await browser.type(number)).body.payment_method_id;

for (const [how, end] of [
  ["paid", async (browser: Browser, id: string) => void (await browser.confirm(id))],
  [
    "declined in the last attempt",
    async (browser: Browser) => void (await browser.pay(declinedCard)),
  ],
  [
    "expired by the merchant",
    async ({ session }: Browser) =>
      void (await shop.post(`/checkout_sessions/${session}/expire`, {})),
  ],
  ["expired automatically", async () => shop.clock.advance(25 * hour)],
] as const) {
  test(`every card of a session that is ${how} is erased, and its masked data stays`, async () => {
    const browser = await createCheckout(shop, { max_attempts: 1 });
    const others = [await typed(browser), await typed(browser, "5555555555554444")];
    const id = await typed(browser);
    const shown = (await shop.get(`/payment_methods/${id}`)).body;
    assert.equal((await erase()).cards, 0, "the cards of an open session are kept");
    await end(browser, id);
    for (const card of [id, ...others]) await waitUntilErased(card);
    assert.deepEqual((await shop.get(`/payment_methods/${id}`)).body, shown);
    assert.equal(await cardsOf(), 0);
  });
}

test("a card saved with consent is kept when its session is paid, and the others are erased", async () => {
  const { id: customer_id } = (await shop.post("/customers", {})).body;
  const browser = await createCheckout(shop, { customer_id, save_payment_method: true });
  const declined = await typed(browser, declinedCard);
  await browser.confirm(declined, "declined, though agreed", true);
  const id = await typed(browser);
  assert.equal((await browser.confirm(id, "agreed", true)).body.status, "complete");
  await waitUntilErased(declined);
  assert.equal(await isStored(id), true);
  const charge = { amount: 500, currency: "usd", payment_method_id: id, off_session: true };
  assert.equal((await shop.post("/charges", charge)).body.status, "succeeded");

  await shop.post(`/payment_methods/${id}/detach`, {});
  assert.equal(await isStored(id), false, "detached");
});

test("a deleted customer's saved cards are erased", async () => {
  const { id: customer_id } = (await shop.post("/customers", {})).body;
  const { id } = (await shop.post("/payment_methods/pm_card_visa/attach", { customer_id })).body;
  assert.equal(await isStored(id), true);
  await shop.delete(`/customers/${customer_id}`);
  assert.equal(await isStored(id), false);
});

test("a card is not saved for a customer whose deletion commits while the payment is recorded", async () => {
  const { id: customer_id } = (await shop.post("/customers", {})).body;
  const browser = await createCheckout(shop, { customer_id, save_payment_method: true });
  const id = await typed(browser);
  const scope = { account: shop.merchant.account, livemode: false };
  const erasedCustomer = Promise.withResolvers<number>();
  const commit = Promise.withResolvers<void>();
  const deletion = shop.app.database.transaction(async (tx) => {
    assert.ok(await eraseCustomer(tx, scope, customer_id, shop.clock.now()));
    assert.deepEqual(await detachAllOf(tx, scope, customer_id, shop.clock.now()), []);
    const [backend] = await tx<{ pid: number }>`select pg_backend_pid() as pid`;
    erasedCustomer.resolve(backend?.pid as number);
    await commit.promise;
  });
  const pid = await erasedCustomer.promise;
  let paid = false;
  const paying = browser.confirm(id, "while deleted", true).then((reply) => {
    paid = true;
    return reply;
  });
  const isWaiting = async () => {
    const rows = await shop.app.database.read`
      select 1 from pg_stat_activity where ${pid}::integer = any(pg_blocking_pids(pid))`;
    return rows.length > 0;
  };
  await until(async () => paid || (await isWaiting()), Boolean);
  commit.resolve();
  await deletion;
  assert.equal((await paying).body.status, "complete");
  assert.equal((await shop.get(`/payment_methods/${id}`)).body.customer_id, null);
  await waitUntilErased(id);
});

test("captures, releases and refunds work after the card is erased", async () => {
  const holds = await Promise.all(
    [0, 1].map(async () => {
      const browser = await createCheckout(shop, { capture_method: "manual" });
      const id = await typed(browser);
      await browser.confirm(id);
      await waitUntilErased(id);
      return (await shop.get(`/checkout_sessions/${browser.session}`)).body.charge_id as string;
    }),
  );
  const [taken, released] = holds as [string, string];
  assert.equal((await shop.post(`/charges/${taken}/capture`, {})).body.status, "succeeded");
  assert.equal((await shop.post(`/charges/${released}/cancel`, {})).body.status, "canceled");
  const refund = await shop.post("/refunds", { charge_id: taken });
  await until(
    () => shop.get(`/refunds/${refund.body.id}`),
    ({ body }) => body.status === "succeeded",
  );
});

test("a payment that waits for 3-D Secure keeps its card past the session's expiry, and succeeds", async () => {
  const { browser, cardholder, waitUntilFinal } = await startChallenge(shop, "4000002760003184", {
    expires_in: 1800,
  });
  await cardholder.runUntilAres();
  const page = await cardholder.openIssuerPage();
  assert.equal((await erase()).cards, 0);
  assert.equal(await cardsOf(), 1);
  await submitToIssuer(shop, page, rightCode);
  assert.equal((await waitUntilFinal()).status, "succeeded");
  await until(cardsOf, (count) => count === 0);
  assert.equal((await browser.readSession()).body.status, "complete");
});

test("a payment of unknown outcome keeps its card until the outcome is known", async () => {
  // The acquirer times out after the approval. A status inquiry finds the approval.
  const browser = await createCheckout(shop, { amount: 9_004_001 });
  const id = await typed(browser);
  assert.equal((await browser.confirm(id)).body.status, "processing");
  await erase();
  assert.equal(await isStored(id), true);
  shop.clock.advance(hour);
  await until(browser.readSession, ({ body }) => body.status === "complete");
  await waitUntilErased(id);
});

test("when inquiries end without an outcome, the cards of the payment are erased, and the consent to save one expires", async () => {
  const { id: customer_id } = (await shop.post("/customers", {})).body;
  const browser = await createCheckout(shop, { customer_id, save_payment_method: true });
  const id = await typed(browser);
  const other = await typed(browser, "5555555555554444");
  shop.simulator.injectFaults({ dropBefore: true });
  assert.equal((await browser.confirm(id, "never answered", true)).body.status, "processing");
  const { charge_id } = (await shop.get(`/checkout_sessions/${browser.session}`)).body;
  shop.clock.advance(2 * day);
  await eraseUnresolved();
  assert.equal(await isStored(id), true);
  await shop.app.database.transaction(
    (tx) => tx`update charges set inquiries = 86 where id = ${uuidOf(charge_id)}`,
  );
  shop.clock.advance(2 * day);
  await until(
    () => shop.get(`/charges/${charge_id}`),
    ({ body }) => body.pending_reason === "manual_review",
  );
  for (const card of [id, other]) await waitUntilErased(card);
  const [row] = await shop.app.database.read`
    select consented_at from payment_methods where id = ${uuidOf(id as `pm_${string}`)}`;
  assert.deepEqual(row, { consented_at: null });
  shop.simulator.injectFaults({});
});

for (const [what, end] of [
  ["detached", (id: string) => shop.post(`/payment_methods/${id}/detach`, {})],
  [
    "deleted with its customer",
    (_id: string, customer: string) => shop.delete(`/customers/${customer}`),
  ],
] as const) {
  test(`a saved card that is ${what} during a challenge completes the payment and is then erased`, async () => {
    const { customer_id, id, cardholder, chargeId } = await startSavedChallenge();
    assert.equal((await end(id, customer_id)).status, 200);
    assert.equal((await shop.get(`/payment_methods/${id}`)).body.customer_id, null);
    assert.equal(await isStored(id), true);
    const charge = { amount: 500, currency: "usd", payment_method_id: id };
    assert.equal(
      (await shop.post("/charges", charge)).body.error.code,
      "payment_method_not_available",
    );
    await cardholder.runUntilAres();
    await submitToIssuer(shop, await cardholder.openIssuerPage(), rightCode);
    await until(
      () => shop.get(`/charges/${chargeId}`),
      ({ body }) => body.status === "succeeded",
    );
    await waitUntilErased(id);
  });

  test(`a saved card that is ${what} during a challenge is erased when the challenge is canceled`, async () => {
    const { customer_id, id, cardholder, chargeId } = await startSavedChallenge();
    await end(id, customer_id);
    await cardholder.cancel();
    assert.equal((await shop.get(`/charges/${chargeId}`)).body.status, "failed");
    await waitUntilErased(id);
  });
}

/** Opens a challenge of a payment with a saved card. */
async function startSavedChallenge() {
  const { id: customer_id } = (await shop.post("/customers", {})).body;
  const name = "pm_card_authenticationRequired";
  const { id } = (await shop.post(`/payment_methods/${name}/attach`, { customer_id })).body;
  const browser = await createCheckout(shop, { customer_id });
  const { body } = await browser.confirmSaved(id);
  assert.equal(body.status, "requires_action");
  const { charge_id } = (await shop.get(`/checkout_sessions/${browser.session}`)).body;
  const cardholder = createCardholder(shop, body.next_action.url);
  return { customer_id, id, cardholder, chargeId: charge_id as string };
}

test("concurrent erasure workers erase each card exactly once", async () => {
  const quiet = await startShop({ workers: false });
  try {
    for (let count = 0; count < 12; count++) {
      const browser = await createCheckout(quiet);
      await browser.pay(goodCard);
    }
    const rounds = await Promise.all(
      Array.from({ length: 6 }, () =>
        quiet.app.database.transaction((tx) => eraseCardsOfEndedSessions(tx, 3)),
      ),
    );
    const rest = await quiet.app.database.transaction((tx) => eraseCardsOfEndedSessions(tx, 200));
    const cards = [...rounds, rest].reduce((sum, round) => sum + round.cards, 0);
    assert.equal(cards, 12);
    const [left] = await quiet.app.database.read`select id from vault_cards limit 1`;
    assert.equal(left, undefined);
  } finally {
    await quiet.close();
  }
});

test("the cards of closed accounts, and of no others, are erased in batches when the retention period ends", async () => {
  const closing = await shop.createMerchant();
  const staying = await shop.createMerchant();
  for (const { key: as } of [closing, closing, closing, staying]) {
    const customer_id = (await shop.post("/customers", {}, { as })).body.id;
    await shop.post("/payment_methods/pm_card_visa/attach", { customer_id }, { as });
  }
  const closedAt = shop.clock.now();
  await shop.app.database.transaction(
    (tx) => tx`
      update accounts set status = 'closed', closed_at = ${closedAt} where id = ${uuidOf(closing.account)}`,
  );
  const eraseClosedBefore = (before: Date, limit: number) =>
    shop.app.database.transaction((tx) => eraseCardsOfClosedAccounts(tx, before, limit));
  assert.equal(await eraseClosedBefore(closedAt, 100), 0);
  assert.equal(await cardsOf(closing.account), 3);
  const after = new Date(closedAt.getTime() + 1);
  assert.deepEqual([await eraseClosedBefore(after, 2), await eraseClosedBefore(after, 2)], [2, 1]);
  assert.deepEqual([await cardsOf(closing.account), await cardsOf(staying.account)], [0, 1]);
});

test("the job erases a closed account's cards after the configured number of days", async () => {
  const closing = await shop.createMerchant();
  const as = closing.key;
  const customer_id = (await shop.post("/customers", {}, { as })).body.id;
  await shop.post("/payment_methods/pm_card_visa/attach", { customer_id }, { as });
  await shop.app.database.transaction(
    (tx) => tx`
      update accounts set status = 'closed', closed_at = ${shop.clock.now()}
       where id = ${uuidOf(closing.account)}`,
  );
  shop.clock.advance(91 * day);
  await until(
    () => cardsOf(closing.account),
    (count) => count === 0,
  );
});

test("the checker reports a card that outlived its session, and passes once it is erased", async () => {
  const quiet = await startShop({ workers: false });
  try {
    await (await createCheckout(quiet)).pay(goodCard);
    const check = async () => {
      const report = await verify(quiet.app.database, { ...defaultOptions, stuckAfterMs: 0 });
      return report.results.find(({ name }) => name === "cards_within_their_term");
    };
    assert.equal((await check())?.violations, 1);
    await quiet.app.database.transaction((tx) => eraseCardsOfEndedSessions(tx, 200));
    assert.equal((await check())?.violations, 0);
  } finally {
    await quiet.close();
  }
});

test("400: a session accepts no more cards than the limit, even from concurrent requests", async () => {
  const browser = await createCheckout(shop);
  const replies = await Promise.all(
    Array.from({ length: maxCardsPerSession + 15 }, () => browser.type(goodCard)),
  );
  const stored = replies.filter(({ status }) => status === 201);
  const rejected = replies.filter(({ status }) => status !== 201);
  assert.equal(stored.length, maxCardsPerSession);
  for (const reply of [...rejected, await browser.type(goodCard)]) {
    const { body } = reply;
    assert.deepEqual(errorOf(reply).slice(0, 2), [400, "invalid_request_error"]);
    assert.equal(body.error.code, "session_max_cards");
  }
  assert.equal((await browser.confirm(stored[0]?.body.payment_method_id)).body.status, "complete");
});
