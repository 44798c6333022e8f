import assert from "node:assert/strict";
import { before, test } from "node:test";
import { approvedCard } from "../adyen.ts";
import { apiKey, createConnectionClient } from "../connection.ts";
import { failChargeUpdates } from "../fail-charge-updates.ts";
import { createPerson } from "../person.ts";
import { day, hour, minute } from "../test-clock.ts";
import { until } from "../until.ts";
import { startConnectedAdyenShop } from "./adyen-shop.ts";

/*
 * Adyen deletes idempotency keys after seven days. Operations without an outcome must not be sent again afterwards. The
 * fake of Adyen lists the requests that it received.
 */
const {
  shop,
  adyen,
  checkout,
  pay,
  payUntil,
  chargeOf,
  chargeWith,
  get,
  post,
  refundWith,
  paymentOf,
  advanceClocks,
} = await startConnectedAdyenShop();

type Request = { at: number; endpoint: string; reference: string; idempotencyKey: string };

const requests = async () =>
  (await adyen.control<{ requests: Request[] }>("GET requests")).requests.filter(
    ({ reference }) => reference !== null,
  );

/** Makes Adyen execute the next request but lose its response and its notification. */
async function lose(endpoint: string): Promise<void> {
  await adyen.fault(endpoint, "cut_before_response");
  await adyen.fault(endpoint, "lost_notification");
}

/** Waits until the service has completed all work that is due or claimed. */
async function workThrough(): Promise<void> {
  await until(
    () => shop.app.database.read<{ due: number }>`
      select ((select count(*) from charges
                where due_at <= ${shop.clock.now()} or (due_at is not null and claimed_by <> 0))
            + (select count(*) from operations
                where due_at <= ${shop.clock.now()} or (due_at is not null and claimed_by <> 0)))::int as due`,
    ([row]) => row?.due === 0,
  );
}

type Open = {
  refunded: string;
  captured: string;
  canceled: string;
  unsent: string;
  refund: string;
};
let open: Open;

before(async () => {
  const refunded = (await payUntil("succeeded")).id;
  const captured = (await payUntil("authorized", { capture_method: "manual" })).id;
  const canceled = (await payUntil("authorized", { capture_method: "manual" })).id;
  await lose("refunds");
  const refund = (await post("/refunds", { charge_id: refunded, amount: 600 })).body.id;
  await lose("captures");
  await post(`/charges/${captured}/capture`, {});
  await lose("cancels");
  await post(`/charges/${canceled}/cancel`, {});
  await adyen.fault("payments", "cut_before_response", { processed: false });
  const unsent = (await pay(await checkout())).id;
  open = { refunded, captured, canceled, unsent, refund };
});

async function executed() {
  const { refunded, captured, canceled, unsent } = open;
  return {
    refunded: (await paymentOf(refunded)).refundedValue,
    captured: (await paymentOf(captured)).capturedValue,
    released: (await paymentOf(canceled)).releasedValue,
    unsent: (await adyen.payments(`reference=${unsent}`)).length,
  };
}

for (const [time, milliseconds] of [
  ["25 hours", 25 * hour],
  ["8 days", 8 * day - 25 * hour],
] as const) {
  test(`after ${time} without outcomes, nothing is executed twice`, async () => {
    await advanceClocks(milliseconds);
    await workThrough();
    await advanceClocks(2 * hour);
    await workThrough();
    assert.deepEqual(await executed(), {
      refunded: 600,
      captured: 1999,
      released: 1999,
      unsent: 0,
    });
  });
}

test("no request is sent again after its idempotency key has expired at Adyen, or with another key", async () => {
  const byReference = Map.groupBy(
    // A cancellation by reference is not executed twice, because the payment can be canceled only once.
    (await requests()).filter(({ endpoint }) => endpoint !== "technical_cancels"),
    ({ endpoint, reference }) => `${endpoint} ${reference}`,
  );
  let repeated = 0;
  for (const [name, sent] of byReference) {
    assert.equal(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size, 1, name);
    const times = sent.map(({ at }) => at);
    const spreadMs = Math.max(...times) - Math.min(...times);
    assert.ok(spreadMs < 7 * day, `${name} was sent again after ${spreadMs / day} days`);
    if (spreadMs > 0) repeated += 1;
  }
  assert.ok(repeated >= 3, "the refund, the capture and the cancellation were repeated before");
  const payments = [...byReference.keys()].filter((name) => name === `payments ${open.unsent}`);
  assert.equal(payments.length, 1);
});

test("notifications that Adyen repeats after 8 days complete the operations", async () => {
  const list = "GET notifications?state=lost";
  const { notifications } = await adyen.control<{ notifications: { id: string }[] }>(list);
  for (const { id } of notifications) await adyen.control(`POST notifications/${id}/send`);
  await refundWith(open.refund, "succeeded");
  await chargeWith(open.captured, "succeeded");
  await chargeWith(open.canceled, "canceled");
  assert.equal((await chargeOf(open.refunded)).amount_refunded, 600);
  assert.equal((await get(`/charges/${open.unsent}`)).status, "processing");
});

test("a charge for which Adyen reports nothing is canceled by its reference after 15 minutes, and again after 1, 6, 24 and 72 hours", async () => {
  const { id, cancellations } = await cancelUntilReview();
  await advanceClocks(day);
  await workThrough();
  assert.equal((await cancellations()).length, 5);
  const { status, pending_reason } = await chargeOf(id);
  assert.deepEqual([status, pending_reason], ["processing", "manual_review"]);
});

/**
 * Makes a payment to which Adyen does not respond, and waits until the charge needs manual review. Checks the time of
 * each cancellation.
 */
async function cancelUntilReview() {
  await adyen.fault("payments", "cut_before_response", { processed: false });
  const { id } = await pay(await checkout());
  const cancellations = async () =>
    (await requests()).filter(
      ({ endpoint, reference }) => endpoint === "technical_cancels" && reference === id,
    );
  const sent = async () => (await cancellations()).length;
  let ageMs = 0;
  const advanceTo = async (milliseconds: number) => {
    await advanceClocks(milliseconds - ageMs);
    ageMs = milliseconds;
    await workThrough();
  };
  for (const [count, due] of [15 * minute, hour, 6 * hour, day, 3 * day].entries()) {
    await advanceTo(due - minute);
    assert.equal(await sent(), count, `${due - minute} ms`);
    await advanceTo(due + 6 * minute);
    await until(sent, (now) => now === count + 1);
  }
  await until(
    () => chargeOf(id),
    ({ pending_reason }) => pending_reason === "manual_review",
  );
  return { id, cancellations };
}

test("after each restart of the inquiries Adyen executes another cancellation, which has the same key after a crash", async () => {
  const { id, cancellations } = await cancelUntilReview();
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const restart = async () => {
    const reply = await operator.send("POST", "/operator/v1/unknown_outcomes/restart", {});
    assert.ok(reply.body.restarted >= 1, reply.text);
  };
  await restart();
  await advanceClocks(minute);
  await until(
    () => chargeOf(id),
    ({ pending_reason }) => pending_reason === "manual_review",
  );
  const before = await cancellations();
  assert.equal(before.length, 6);
  // The payment arrives after the last cancellation, and the notification of its approval is lost.
  await adyen.fault("payments", "lost_notification");
  const late = await fetch(`${adyen.url}/v72/payments`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({
      merchantAccount: "FieldwareECOM",
      reference: id,
      amount: { currency: "USD", value: 1999 },
      returnUrl: "https://shop.example/",
      additionalData: { manualCapture: "true" },
      paymentMethod: {
        type: "scheme",
        number: approvedCard.number,
        expiryMonth: "03",
        expiryYear: "2030",
        cvc: approvedCard.cvc,
      },
    }),
  });
  assert.equal(late.status, 200, await late.text());

  await restart();
  // The response cannot be recorded, as if the server was killed.
  const restore = await failChargeUpdates(shop.app.database);
  await advanceClocks(minute);
  const first = await until(cancellations, ({ length }) => length === before.length + 1);
  await advanceClocks(2 * minute);
  const repeated = await until(cancellations, ({ length }) => length === before.length + 2);
  await restore();
  const [sent, again] = repeated.slice(-2);
  assert.equal(sent?.idempotencyKey, again?.idempotencyKey);
  assert.ok(
    before.every(({ idempotencyKey }) => idempotencyKey !== first.at(-1)?.idempotencyKey),
    "the cancellation after the restart has the key of an earlier one",
  );
  await advanceClocks(hour);
  assert.equal((await chargeWith(id, "failed")).failure_code, "processing_error");
  assert.equal((await paymentOf(id)).releasedValue, 1999);
  const executed = `GET modifications?kind=technical_cancel&paymentReference=${id}`;
  const { modifications } = await adyen.control<{ modifications: object[] }>(executed);
  assert.equal(modifications.length, before.length + 1);
});

test("a capture that is repeated with a new API key is executed once", async () => {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  const { id: connection } = (await operator.send("GET", "/operator/v1/connections")).body.data[0];
  const { id } = await payUntil("authorized", { capture_method: "manual" });
  await lose("captures");
  await post(`/charges/${id}/capture`, { amount: 1500 });
  const secondKey = "AQEyhmfxK4zJbBZDw0m-second-key";
  await adyen.control("PUT accounts/FieldwareECOM", { apiKey: secondKey });
  const rotated = await connections.change("PUT", connection, "secrets", { api_key: secondKey });
  assert.equal(rotated.status, 200, rotated.text);
  await advanceClocks(minute);
  await until(
    () => chargeOf(id),
    ({ pending_reason }) => pending_reason === "acquirer_processing",
  );
  assert.equal((await paymentOf(id)).capturedValue, 1500);
  const captures = (await requests()).filter(({ endpoint }) => endpoint === "captures").slice(-2);
  assert.equal(captures[0]?.idempotencyKey, captures[1]?.idempotencyKey);
  const { notifications } = await adyen.control<{ notifications: { id: string }[] }>(
    "GET notifications?state=lost",
  );
  for (const one of notifications) await adyen.control(`POST notifications/${one.id}/send`);
  assert.equal((await chargeWith(id, "succeeded")).amount_captured, 1500);
});
