import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { uuidOf } from "../../src/core/ids.ts";
import { approvedCard, connectAdyen, type LiveMerchant, startAdyen } from "../adyen.ts";
import { createCardholder } from "../cardholder.ts";
import { createSetup } from "../checkout.ts";
import { channel, connectCheckoutCom, startCheckoutCom } from "../checkout-com.ts";
import { startLiveShop } from "../live-shop.ts";
import { until } from "../shop.ts";
import { connectStripe, startStripe } from "../stripe.ts";
import { skipEndOfDay } from "../test-clock.ts";

/*
 * Tests sessions of mode `setup` at every live acquirer. The conformance suite tests verifications with faults of the
 * connection to the acquirer.
 */
const adyen = await startAdyen();
const stripe = await startStripe();
const checkoutCom = await startCheckoutCom();
const shop = await startLiveShop({ adyen, stripe, checkout_com: checkoutCom });
const skipped = skipEndOfDay(shop.clock);
await Promise.all(
  [adyen, stripe, checkoutCom].map((fake) => fake.control("POST clock", { advanceMs: skipped })),
);

type Acquirer = {
  readonly merchant: LiveMerchant;
  /** A card that the acquirer declines, and the decline code that the service reports. */
  readonly declined: { readonly number: string; readonly cvc: string; readonly code: string };
  /** Makes the acquirer decline the next card. Absent if `declined` is a card that the acquirer always declines. */
  prepareDecline?(): Promise<unknown>;
  readonly returnsTransactionId: boolean;
};

const { number, cvc } = approvedCard;
const acquirers: Readonly<Record<string, Acquirer>> = {
  adyen: {
    merchant: await connectAdyen(shop, adyen),
    declined: { number, cvc: "123", code: "generic_decline" },
    returnsTransactionId: true,
  },
  stripe: {
    merchant: await connectStripe(shop, stripe),
    declined: { number: "4000000000009979", cvc, code: "stolen_card" },
    returnsTransactionId: false,
  },
  checkout_com: {
    merchant: await connectCheckoutCom(shop, checkoutCom),
    declined: { number, cvc, code: "do_not_honor" },
    prepareDecline: () => checkoutCom.control("POST responses", { channel, code: "20005" }),
    returnsTransactionId: true,
  },
};

for (const [name, acquirer] of Object.entries(acquirers)) {
  const { declined, returnsTransactionId } = acquirer;
  const { key } = acquirer.merchant;
  const get = async (path: string) => (await shop.get(path, { as: key })).body;

  /** Opens a session, types the card and confirms. */
  async function save(params: object = {}, card = { number, cvc }) {
    const browser = await createSetup(shop, params, key);
    const stored = await browser.type(card.number, { cvc: card.cvc });
    assert.equal(stored.status, 201, stored.text);
    await browser.confirm(stored.body.payment_method_id);
    const read = () => get(`/checkout_sessions/${browser.session}`);
    return { browser, read, session: await read() };
  }

  /** Starts the challenge and returns the URL of the acquirer's page. */
  async function redirect() {
    const { browser, read, session } = await save({ three_d_secure: "always" });
    assert.equal(session.status, "requires_action");
    const { next_action } = (await browser.readSession()).body;
    const cardholder = createCardholder(shop, next_action.url);
    await cardholder.begin();
    assert.equal((await cardholder.authenticate()).body.step, "challenge");
    return { read, cardholder, url: (await cardholder.challenge()).body.url as string };
  }

  async function choose(url: string, outcome: string): Promise<string> {
    const body = new URLSearchParams({ outcome });
    const page = await fetch(url, { method: "POST", body, redirect: "manual" });
    return page.headers.get("location") as string;
  }

  describe(name, () => {
    test("the card is verified, saved and charged off-session later", async () => {
      const { session } = await save({ currency: "eur" });
      assert.equal(session.status, "complete", JSON.stringify(session.last_payment_error));
      const card = await get(`/payment_methods/${session.payment_method_id}`);
      assert.deepEqual([card.customer_id, card.saved_by], [session.customer_id, "setup"]);
      assert.deepEqual((await get("/charges")).data, []);
      const [stored] = await shop.app.database.read<{ id: string | null }>`
        select network_transaction_id as id from payment_methods where id = ${uuidOf(card.id)}`;
      assert.equal(stored?.id !== null, returnsTransactionId);
      const body = { amount: 700, currency: "eur", payment_method_id: card.id, off_session: true };
      const charge = await shop.post("/charges", body, { as: key });
      assert.equal(charge.body.status, "succeeded", charge.text);
    });

    test("a declined card is not saved", async () => {
      await acquirer.prepareDecline?.();
      const { session } = await save({}, declined);
      assert.equal(session.status, "open");
      assert.equal(session.last_payment_error.decline_code, declined.code);
      const cards = await get(`/payment_methods?customer_id=${session.customer_id}`);
      assert.deepEqual(cards.data, []);
    });

    test("the cardholder authenticates on the acquirer's page, returns twice, and the card is saved once", async () => {
      const { read, cardholder, url } = await redirect();
      const back = await choose(url, "authenticate");
      await Promise.all([fetch(back), fetch(back)]);
      const session = await until(read, ({ status }) => status === "complete");
      const cards = await get(`/payment_methods?customer_id=${session.customer_id}`);
      assert.equal(cards.data.length, 1);
      assert.equal((await cardholder.step()).body.passed, true);
    });

    test("a failed authentication on the acquirer's page saves no card", async () => {
      const { read, url } = await redirect();
      await fetch(await choose(url, "fail"));
      const session = await until(read, ({ status }) => status === "open");
      assert.ok(session.last_payment_error.decline_code, JSON.stringify(session));
      const cards = await get(`/payment_methods?customer_id=${session.customer_id}`);
      assert.deepEqual(cards.data, []);
    });
  });
}

test("no notification about a verification waits for an operator", async () => {
  const waiting = await shop.app.database.read`
    select state, problem, item from acquirer_notifications where state in ('review', 'unmatched')`;
  assert.deepEqual(waiting, []);
});
