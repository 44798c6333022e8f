import assert from "node:assert/strict";
import { after, test } from "node:test";
import { approvedCard } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { closeChecked } from "../close-checked.ts";
import { createConnectionClient } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import {
  type ConnectedAcquirer,
  createLiveMerchant,
  startFakeAcquirers,
} from "../simulation/fake-acquirers.ts";
import { day, second } from "../test-clock.ts";
import { until } from "../until.ts";

// Tests changes by an operator after the acquirer has received a payment and before its outcome is recorded.
const fakes = await startFakeAcquirers();
after(() => fakes.close());
const shop = await startShop({
  acquirers: "sandbox",
  acquirerOrigins: fakes.origins,
  inRealTime: true,
});
after(() => closeChecked(shop));
const acquirers = await fakes.connect(shop, shop.url);
const names = ["Adyen", "Stripe", "Checkout.com"] as const;
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const connections = createConnectionClient(shop, operator);
const reason = "The merchant leaves.";

async function send(path: string, body: object): Promise<void> {
  const reply = await operator.send("POST", `/operator/v1${path}`, body);
  assert.equal(reply.status, 200, reply.text);
}

/** The changes of an operator, each of which prevents new charges of the merchant. */
const changes = {
  "the account is suspended": (account: string) => send(`/accounts/${account}/suspend`, { reason }),
  "the account is closed": (account: string) => send(`/accounts/${account}/close`, { reason }),
  "the assignment is ended": async (account: string) => {
    const { data } = (await operator.send("GET", `/operator/v1/assignments?account=${account}`))
      .body;
    for (const { id, version } of data) await send(`/assignments/${id}/end`, { version, reason });
  },
} as const;

/** Begins a payment at the acquirer. Returns when the acquirer has received it. */
async function beginPayment(acquirer: ConnectedAcquirer, fault: string, more: object) {
  const merchant = await createLiveMerchant(shop, [acquirer]);
  const { key } = merchant;
  const browser = await createCheckout(shop, {}, key);
  const stored = await browser.type(approvedCard.number, { cvc: approvedCard.cvc });
  assert.equal(stored.status, 201, stored.text);
  const known = (await acquirer.payments()).length;
  await acquirer.fault("authorize", fault, more);
  const confirmed = browser.confirm(stored.body.payment_method_id);
  await until(
    () => acquirer.payments(),
    (payments) => payments.length > known && (payments.at(-1)?.capturedMinor ?? 0) > 0,
  );
  return { ...merchant, session: browser.session, confirmed };
}

for (const [index, name] of names.entries()) {
  for (const [change, apply] of Object.entries(changes)) {
    for (const [fault, how, more] of [
      ["slow", "the response arrives afterwards", { delayMs: 1_500 }],
      ["cut_before_response", "the response is lost", {}],
    ] as const) {
      test(`${name}: if ${change} during a payment and ${how}, the payment succeeds, is reported and can be refunded`, async () => {
        const acquirer = acquirers[index] as ConnectedAcquirer;
        const payment = await beginPayment(acquirer, fault, more);
        const { account, key, session } = payment;
        await apply(account);
        const reply = await payment.confirmed;
        assert.equal(reply.status, 200, reply.text);
        const get = async (path: string) => (await shop.get(path, { as: key })).body;
        const readCharge = async () =>
          (await get("/charges")).data.find(
            (one: { checkout_session_id: string }) => one.checkout_session_id === session,
          );
        if (fault === "cut_before_response") shop.clock.advance(35 * second);
        const charge = await until(readCharge, ({ status }) => status !== "processing");
        assert.equal(charge.status, "succeeded");
        assert.equal((await get(`/checkout_sessions/${session}`)).payment_status, "paid");

        const refunded = await shop.post(
          "/refunds",
          { charge_id: charge.id, amount: 700 },
          { as: key },
        );
        assert.equal(refunded.status, 201, refunded.text);
        await until(
          () => get(`/refunds/${refunded.body.id}`),
          ({ status }) => status === "succeeded",
        );
        const { data: events } = await get("/events?limit=100");
        const types = events.map(({ type }: { type: string }) => type);
        for (const type of [
          "payment.succeeded",
          "checkout_session.completed",
          "refund.succeeded",
        ]) {
          assert.equal(types.filter((one: string) => one === type).length, 1, types.join());
        }
        const [atAcquirer, ...others] = (await acquirer.payments()).filter(
          (one) => one.charge === charge.id,
        );
        assert.deepEqual(
          [atAcquirer?.capturedMinor, atAcquirer?.refundedMinor, others],
          [1999, 700, []],
        );
        const late = await shop.post(
          "/checkout_sessions",
          { amount: 500, currency: "usd" },
          { as: key },
        );
        assert.equal(late.status, 400, "new payments are rejected");
      });
    }
  }
}

test("a connection with a payment whose outcome is unknown cannot be retired, and can be retired afterwards", async () => {
  const [adyen] = acquirers as [ConnectedAcquirer];
  await adyen.fault("authorize", "lost_notification");
  const payment = await beginPayment(adyen, "cut_before_response", {});
  assert.equal((await payment.confirmed).body.status, "processing");
  const { connection } = adyen;
  const { data } = (
    await operator.send("GET", `/operator/v1/assignments?connection=${connection}&state=active`)
  ).body;
  for (const { id, version } of data) await send(`/assignments/${id}/end`, { version, reason });
  const drained = await connections.change("POST", connection, "drain");
  assert.equal(drained.status, 200, drained.text);
  const early = await connections.change("POST", connection, "retire");
  assert.equal(errorOf(early)[2], "status_transition_invalid");
  assert.match(early.body.error.message, /without an outcome \(1\)/);
  await adyen.repeatNotifications("lost");
  await until(
    async () => (await shop.get(`/checkout_sessions/${payment.session}`, { as: payment.key })).body,
    ({ payment_status }) => payment_status === "paid",
  );
  // Adyen does not settle the payment within `settlesWithinMs`, so the payment no longer prevents the retirement.
  shop.clock.advance(7 * day);
  const later = createConnectionClient(
    shop,
    await createPerson(shop, { operator: true, secondFactor: true }),
  );
  const retired = await later.change("POST", connection, "retire");
  assert.equal(retired.body.state, "retired", retired.text);
});
