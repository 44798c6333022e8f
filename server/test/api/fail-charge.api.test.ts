import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChargeId, uuidOf } from "../../src/core/ids.ts";
import { approvedCard, connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { type Browser, createCheckout } from "../checkout.ts";
import { apiKey } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf } from "../shop.ts";
import { minute } from "../test-clock.ts";
import { until } from "../until.ts";

/*
 * An operator marks a charge in manual review as failed, because the acquirer has no such payment. If the acquirer
 * approves the payment later, the money is returned or the operator sees the problem.
 */
const { adyen, shop } = await startAdyenShop();
const { account, key, connection } = await connectAdyen(shop, adyen);
const signIn = () => createPerson(shop, { operator: true, secondFactor: true });
const reason = "The Customer Area has no payment with this reference.";

const chargeOf = async (id: string) => (await shop.get(`/charges/${id}`, { as: key })).body;

async function markFailed(
  id: string,
  { of = account as string, body = { reason } as object } = {},
) {
  const operator = await signIn();
  return operator.send("POST", `/operator/v1/accounts/${of}/charges/${id}/fail`, body);
}

/** Returns the latest charge of the session. */
async function chargeIn({ session }: Browser) {
  const path = `/charges?limit=1&checkout_session_id=${session}`;
  return (await shop.get(path, { as: key })).body.data[0];
}

/** Moves a charge to manual review, as its last inquiry or cancellation does. */
async function moveToReview(id: ChargeId): Promise<void> {
  await shop.app.database.autocommit(
    (tx) => tx`
      update charges set pending_reason = 'manual_review', reversal_pending = livemode, due_at = null
       where id = ${uuidOf(id)}`,
  );
}

/** Makes a payment that never reaches Adyen, so there is no response. */
async function payIntoReview(): Promise<{ readonly id: ChargeId; readonly browser: Browser }> {
  await adyen.fault("payments", "cut_before_response", { processed: false });
  const browser = await createCheckout(shop, {}, key);
  await pay(browser);
  const { id, status } = await chargeIn(browser);
  assert.equal(status, "processing");
  await moveToReview(id);
  return { id, browser };
}

/** Sends a request to Adyen directly instead of through the service. */
async function sendToAdyen(endpoint: string, body: object): Promise<{ pspReference: string }> {
  const response = await fetch(`${adyen.url}/v72${endpoint}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({ merchantAccount: "FieldwareECOM", ...body }),
  });
  assert.ok(response.ok);
  return (await response.json()) as { pspReference: string };
}

/** Makes the payment of the charge arrive at Adyen now, which approves it. */
function approveLate(id: string, more: object = {}): Promise<{ pspReference: string }> {
  return sendToAdyen("/payments", {
    amount: { currency: "USD", value: 1999 },
    reference: id,
    returnUrl: "https://shop.example/",
    paymentMethod: {
      type: "scheme",
      number: approvedCard.number,
      expiryMonth: "03",
      expiryYear: "2030",
      cvc: approvedCard.cvc,
    },
    ...more,
  });
}

type Listed = { readonly state: string; readonly problem: string | null };

async function listNotifications(): Promise<readonly Listed[]> {
  const operator = await signIn();
  const path = `/operator/v1/connections/${connection}/notifications?limit=100`;
  return (await operator.send("GET", path)).body.data;
}

/** Waits until no notification is pending. Returns the problems of the notifications in review. */
async function problemsInReview(): Promise<readonly (string | null)[]> {
  const all = await until(listNotifications, (found) =>
    found.every(({ state }) => state !== "pending"),
  );
  return all.filter(({ state }) => state === "review").map(({ problem }) => problem);
}

test("an operator marks a charge in manual review as failed, and the customer can pay again", async () => {
  const { id, browser } = await payIntoReview();
  const marked = await markFailed(id);
  assert.deepEqual([marked.status, marked.body], [200, { id, livemode: true, status: "failed" }]);
  const charge = await chargeOf(id);
  assert.deepEqual(
    [charge.status, charge.failure_code, charge.pending_reason, charge.reversal_pending],
    ["failed", "processing_error", null, false],
  );
  const { data: events } = (await shop.get("/events?limit=100", { as: key })).body;
  const types = events
    .filter((event: { data: { object: { id: string } } }) => event.data.object.id === id)
    .map(({ type }: { type: string }) => type);
  assert.deepEqual(types, ["payment_failed"]);
  const [entry] = await shop.app.database.read<{ text: string }>`
    select entry as text from audit_log where action = 'charge.marked_failed'`;
  for (const part of [id, reason, "manual_review"]) assert.ok(entry?.text.includes(part), part);

  assert.equal((await browser.readSession()).body.status, "open");
  await pay(browser);
  assert.equal((await chargeIn(browser)).status, "succeeded");
});

test("a charge of test mode in manual review can be marked as failed", async () => {
  const params = { amount: 9_004_002, currency: "usd", payment_method_id: "pm_card_visa" };
  const { account: of, key: as } = await shop.createMerchant();
  const { id } = (await shop.post("/charges", params, { as })).body;
  await moveToReview(id);
  const marked = await markFailed(id, { of });
  assert.deepEqual([marked.status, marked.body.livemode], [200, false], marked.text);
  assert.equal((await shop.get(`/charges/${id}`, { as })).body.status, "failed");
});

test("400: a charge that is not in manual review cannot be marked as failed", async () => {
  await adyen.fault("payments", "cut_before_response", { processed: false });
  const browser = await createCheckout(shop, {}, key);
  await pay(browser);
  const { id } = await chargeIn(browser);
  const message =
    /must have the status 'processing' and the `pending_reason` 'manual_review'\. .* 'outcome_unknown'\.$/;
  const rejected = await markFailed(id);
  assert.match(rejected.body.error.message, message);
  await moveToReview(id);
  assert.equal((await markFailed(id)).status, 200);
  const again = await markFailed(id);
  assert.deepEqual(errorOf(again), [
    400,
    "invalid_request_error",
    "status_transition_invalid",
    "charge",
  ]);
});

test("a reason, a recent confirmation of the identity and the charge's own account are required", async () => {
  const { id } = await payIntoReview();
  const [status, , code] = errorOf(await markFailed(id, { body: {} }));
  assert.deepEqual([status, code], [400, "parameter_missing"]);
  assert.equal((await markFailed(id, { of: (await shop.createMerchant()).account })).status, 404);
  // Each person in these tests is a member of this account.
  const own = await markFailed(id, { of: shop.merchant.account });
  assert.equal(own.body.error.code, "own_account");
  const operator = await signIn();
  shop.clock.advance(11 * minute);
  const path = `/operator/v1/accounts/${account}/charges/${id}/fail`;
  const late = await operator.send("POST", path, { reason });
  assert.equal(late.body.error.code, "step_up_required");
  assert.equal((await chargeOf(id)).status, "processing");
});

for (const captured of [false, true]) {
  const money = captured ? "captured" : "authorized";
  test(`a payment that is ${money} after its charge was marked as failed is reversed`, async () => {
    const { id } = await payIntoReview();
    assert.equal((await markFailed(id)).status, 200);
    // The first requests for the reversal fail.
    await adyen.fault("reversals", "html_502", { processed: false, times: 3 });
    await approveLate(id, captured ? {} : { additionalData: { manualCapture: "true" } });
    const payment = await until(
      async () => {
        shop.clock.advance(10_000);
        return adyen.paymentOf(id);
      },
      ({ releasedValue, refundedValue }) => releasedValue + refundedValue === 1999,
    );
    assert.equal(payment.capturedValue, captured ? 1999 : 0);
    assert.deepEqual(await problemsInReview(), []);
    assert.equal((await chargeOf(id)).status, "failed");
  });
}

test("a late approval that cannot be reversed is listed for an operator with the problem", async () => {
  const { id } = await payIntoReview();
  assert.equal((await markFailed(id)).status, 200);
  await adyen.fault("payments", "lost_notification");
  const { pspReference } = await approveLate(id, { additionalData: { manualCapture: "true" } });
  // Simulates a cancellation in the Customer Area, which makes the service's reversal fail.
  await adyen.fault("cancels", "lost_notification");
  await sendToAdyen(`/payments/${pspReference}/cancels`, { reference: "customer area" });
  const lost = "GET notifications?state=lost&eventCode=AUTHORISATION";
  const { notifications } = await adyen.control<{ notifications: { id: string }[] }>(lost);
  for (const one of notifications) await adyen.control(`POST notifications/${one.id}/send`);
  const problems = await until(problemsInReview, ({ length }) => length > 0);
  assert.deepEqual(problems, [
    "An operator marked the charge as failed, and the acquirer approved the payment later. Its reversal failed.",
  ]);
});
