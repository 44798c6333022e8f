import assert from "node:assert/strict";
import { test } from "node:test";
import { connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { createPerson } from "../person.ts";
import { until } from "../until.ts";

// Tests disputes of partly refunded payments. In most tests, the disputed amount exceeds the amount that is left.
const { adyen, shop } = await startAdyenShop();
const { key, connection } = await connectAdyen(shop, adyen);
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const notifications = `/operator/v1/connections/${connection}/notifications`;

const get = async (path: string) => (await shop.get(path, { as: key })).body;

/** Pays 1999 and returns the charge. */
async function charge(): Promise<string> {
  const browser = await createCheckout(shop, {}, key);
  await pay(browser);
  const paid = await until(
    async () =>
      (await get("/charges?limit=20")).data.find(
        (one: { checkout_session_id: string }) => one.checkout_session_id === browser.session,
      ),
    (found) => found?.status === "succeeded",
  );
  return paid.id;
}

const refund = async (charge_id: string, amount: number) =>
  (await shop.post("/refunds", { charge_id, amount }, { as: key })).body;

/** Opens a dispute at Adyen, and returns its reference and the dispute in Florin. */
async function dispute(charge_id: string, options: object = {}) {
  const { pspReference: payment } = (await adyen.paymentOf(charge_id)) as never;
  const body = { payment, reasonCode: "13.1", ...options };
  const { dispute: opened } = await adyen.control<{ dispute: { pspReference: string } }>(
    "POST disputes",
    body,
  );
  const { data } = await until(
    () => get(`/disputes?charge_id=${charge_id}`),
    (list) => list.data.length === 1,
  );
  return { reference: opened.pspReference, recorded: data[0] };
}

/** Waits until no notification is pending. Returns the problems of the charge's notifications in review. */
async function problemsOf(charge_id: string): Promise<string[]> {
  await until(
    () => shop.app.database.read`select from acquirer_notifications where due_at is not null`,
    (pending) => pending.length === 0,
  );
  const { data } = (await operator.send("GET", `${notifications}?state=review`)).body;
  return data
    .filter((one: { charge: string }) => one.charge === charge_id)
    .map(({ problem }: { problem: string }) => problem);
}

const problem = (notified: string, posted: string) =>
  `The acquirer disputes ${notified} USD, but only ${posted} USD of the charge was neither refunded nor disputed. Florin has debited this part.`;

test("a dispute of a partly refunded payment debits the rest, and an operator sees both amounts", async () => {
  const id = await charge();
  await refund(id, 500);
  await until(
    () => get(`/charges/${id}`),
    ({ amount_refunded }) => amount_refunded === 500,
  );
  const { recorded } = await dispute(id);
  assert.deepEqual([recorded.amount, recorded.funds_withdrawn], [1499, true]);
  const found = await until(
    () => problemsOf(id),
    (problems) => problems.length > 0,
  );
  assert.deepEqual(new Set(found), new Set([problem("19.99", "14.99")]));
  const logged = shop.log.some(({ problem: line }) => line === problem("19.99", "14.99"));
  assert.ok(logged, "the problem is logged");
});

test("a dispute while a refund is pending debits the rest, and the notification returns to review until it is dismissed", async () => {
  const id = await charge();
  await adyen.fault("refunds", "lost_notification");
  const pending = await refund(id, 700);
  assert.equal(pending.status, "pending");
  const { recorded } = await dispute(id);
  assert.equal(recorded.amount, 1299);
  await until(
    () => problemsOf(id),
    (problems) => problems.length > 0,
  );
  const ofCharge = async () =>
    (await operator.send("GET", `${notifications}?state=review`)).body.data.filter(
      (one: { charge: string }) => one.charge === id,
    );
  const [first] = await ofCharge();
  const retried = await operator.send("POST", `${notifications}/${first.id}/apply`, {
    version: first.version,
  });
  assert.equal(retried.status, 200, retried.text);
  assert.deepEqual(new Set(await problemsOf(id)), new Set([problem("19.99", "12.99")]));
  assert.ok((await ofCharge()).some(({ id: one }: { id: string }) => one === first.id));
  assert.equal((await get(`/disputes?charge_id=${id}`)).data.length, 1);
});

test("a dispute of the rest of a partly refunded payment needs no operator", async () => {
  const id = await charge();
  await refund(id, 500);
  const { recorded } = await dispute(id, { value: 1499 });
  assert.equal(recorded.amount, 1499);
  assert.deepEqual(await problemsOf(id), []);
});

test("a request for information debits nothing and needs no operator until it is lost", async () => {
  const id = await charge();
  await refund(id, 500);
  const { reference, recorded } = await dispute(id, { stage: "request_for_information" });
  assert.equal(recorded.funds_withdrawn, false);
  assert.deepEqual(await problemsOf(id), []);
  await adyen.control(`POST disputes/${reference}/events`, { eventCode: "SECOND_CHARGEBACK" });
  await until(
    () => get(`/disputes/${recorded.id}`),
    ({ status }) => status === "lost",
  );
  assert.deepEqual(await problemsOf(id), [problem("19.99", "14.99")]);
});

test("the reversal of a partly debited chargeback needs no operator, and the chargeback stays in review", async () => {
  const id = await charge();
  await refund(id, 500);
  const { reference, recorded } = await dispute(id);
  await adyen.control(`POST disputes/${reference}/events`, { eventCode: "CHARGEBACK_REVERSED" });
  await until(
    () => get(`/disputes/${recorded.id}`),
    ({ status }) => status === "won",
  );
  assert.deepEqual(new Set(await problemsOf(id)), new Set([problem("19.99", "14.99")]));
  const { data } = (await operator.send("GET", notifications)).body;
  const reversals = data.filter(
    (one: { charge: string; event_code: string }) =>
      one.charge === id && one.event_code === "CHARGEBACK_REVERSED",
  );
  assert.deepEqual(
    reversals.map(({ state }: { state: string }) => state),
    ["applied"],
  );
});
