import assert from "node:assert/strict";
import { mock, test } from "node:test";
import pg from "pg";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { approvedCard, connectAdyen, startAdyenShop } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";

/*
 * Counts the statements that the service sends to Postgres for a payment. Every statement, including `begin` and
 * `commit`, is a call of the driver's `query`. The loops of the service run only before the statements are counted, so
 * every counted statement belongs to the payment. Adyen holds back its notifications, so that their statements are
 * counted separately.
 */
const { adyen, shop } = await startAdyenShop({
  inRealTime: false,
});
const { key: liveKey } = await connectAdyen(shop, adyen);
await adyen.control("PUT accounts/FieldwareECOM", { delivery: "held" });
const query = mock.method(pg.Client.prototype, "query");

type Mode = { readonly key: SecretKey; readonly number: string };
const testMode: Mode = { key: shop.merchant.key, number: "4242424242424242" };
const liveMode: Mode = { key: liveKey, number: approvedCard.number };
const { cvc } = approvedCard;

/** The names of the expected statements. A statement without a name is reported by its text. */
const names: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/ simulator\./, "simulator"],
  [/^select requested\.place, .* join payment_methods /, "read the payment method"],
  [/^select requested\.place, v\.key_id, .* join vault_cards /, "read the card"],
  [/ insert into charges /, "insert the charge"],
  [/ update charges as t /, "record the outcome"],
  [/^select .* from checkout_sessions /, "read the session"],
  [/^select .* from authentications /, "read the authentication"],
  [/^select requested\.place, .* join charges /, "read the charge"],
  [/^insert into acquirer_notifications /, "insert the notification"],
];

function nameOf(sent: unknown): string {
  const text = (sent as { readonly text: string }).text.replace(/\s+/g, " ").trim();
  return names.find(([pattern]) => pattern.test(text))?.[1] ?? text;
}

const database = new URL(shop.settings.DATABASE_URL).pathname.slice(1);

/** Returns the statements that the service sends until the work has ended. */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  // Lets the loops run once, so that they renew the cached values. Then stops the time by which the values expire.
  await shop.timers.turn();
  const now = performance.now();
  const time = mock.method(performance, "now", () => now);
  query.mock.resetCalls();
  try {
    await work();
  } finally {
    time.mock.restore();
  }
  // Excludes the statements of other test files, which may run in the same process.
  const own = query.mock.calls.filter((call) => (call.this as pg.Client).database === database);
  return own.map(({ arguments: [sent] }) => nameOf(sent));
}

/**
 * Returns the fewest statements of several runs. A run sends more if a value is not cached yet, or if a batch writer
 * connects.
 */
async function fewestStatements(runs: number, run: () => Promise<readonly string[]>) {
  let fewest = await run();
  for (let more = 1; more < runs; more++) {
    const statements = await run();
    if (statements.length < fewest.length) fewest = statements;
  }
  return {
    service: fewest.filter((name) => name !== "simulator"),
    simulator: fewest.filter((name) => name === "simulator"),
  };
}

async function saveCard({ key, number }: Mode): Promise<string> {
  const { id } = (await shop.post("/customers", { name: "Ada" }, { as: key })).body;
  const browser = await createCheckout(shop, { customer_id: id, save_payment_method: true }, key);
  const { payment_method_id } = (await browser.type(number, { cvc })).body;
  const paid = await browser.confirm(payment_method_id, undefined, true);
  assert.equal(paid.body.status, "complete", paid.text);
  return payment_method_id;
}

async function charge({ key }: Mode, payment_method_id: string): Promise<void> {
  const body = { amount: 500, currency: "usd", payment_method_id, off_session: true };
  const reply = await shop.post("/charges", body, { as: key });
  assert.equal(reply.body.status, "succeeded", reply.text);
}

async function chargeOfSavedCard(mode: Mode) {
  const card = await saveCard(mode);
  return fewestStatements(5, () => statementsOf(() => charge(mode, card)));
}

async function paymentInCardForm(mode: Mode) {
  return fewestStatements(5, async () => {
    const browser = await createCheckout(shop, {}, mode.key);
    const { payment_method_id } = (await browser.type(mode.number, { cvc })).body;
    return statementsOf(async () => {
      const paid = await browser.confirm(payment_method_id);
      assert.equal(paid.body.status, "complete", paid.text);
    });
  });
}

const ofCharge = [
  "read the payment method",
  "read the card",
  "insert the charge",
  "record the outcome",
];

test("a charge of a saved card sends the same four statements in live mode as in test mode", async () => {
  const { service, simulator } = await chargeOfSavedCard(testMode);
  assert.deepEqual([service, simulator.length], [ofCharge, 1]);
  assert.deepEqual(await chargeOfSavedCard(liveMode), { service, simulator: [] });
});

test("a payment in the card form sends the same eight statements in live mode as in test mode", async () => {
  const { service, simulator } = await paymentInCardForm(testMode);
  assert.deepEqual(
    [service, simulator.length],
    [
      [
        "read the session",
        "read the payment method",
        "read the card",
        "insert the charge",
        "read the session",
        "record the outcome",
        "read the session",
        "read the authentication",
      ],
      1,
    ],
  );
  assert.deepEqual(await paymentInCardForm(liveMode), { service, simulator: [] });
});

type Held = { readonly notifications: readonly { readonly id: string }[] };

test("the notification of a live charge sends one statement, after which no work is left", async () => {
  const { read } = shop.app.database;
  const card = await saveCard(liveMode);
  const sendLatest = async () => {
    const { notifications } = await adyen.control<Held>("GET notifications");
    const latest = notifications.at(-1);
    assert(latest);
    return statementsOf(() => adyen.control(`POST notifications/${latest.id}/send`));
  };
  const { service } = await fewestStatements(5, async () => {
    await charge(liveMode, card);
    return sendLatest();
  });
  assert.deepEqual(service, ["insert the notification"]);

  // The process removes the outcome from its memory when it uses the outcome for the first notification. A repeated
  // notification, or a notification that arrives at another process, requires a read too.
  const repeated = await fewestStatements(3, sendLatest);
  assert.deepEqual(repeated.service, ["read the charge", "insert the notification"]);
  const stored = await read`
    select state, count(*)::int from acquirer_notifications group by state`;
  assert.deepEqual(stored, [{ state: "ignored", count: 5 }]);
});

test("64 concurrent live charges, and their notifications, send fewer than 64 statements each", async () => {
  const count = 64;
  const card = await saveCard(liveMode);
  const all = <Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>) =>
    fewestStatements(3, () => statementsOf(() => Promise.all(items.map(work))));
  const charged = await all(Array(count).fill(card), (id) => charge(liveMode, id));
  const { notifications } = await adyen.control<Held>("GET notifications?state=held");
  const notified = await all(notifications.slice(-count), ({ id }) =>
    adyen.control(`POST notifications/${id}/send`),
  );
  for (const { service } of [charged, notified]) {
    assert.ok(service.length < count, `${service.length} statements`);
  }
});
