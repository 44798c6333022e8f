import assert from "node:assert/strict";
import { test } from "node:test";
import { approvedCard, connectAdyen, startAdyenShop } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { apiKey } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf } from "../shop.ts";
import { minute } from "../test-clock.ts";
import { until } from "../until.ts";

const { adyen, shop } = await startAdyenShop();
const { account, key } = await connectAdyen(shop, adyen);
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const [{ id: connection }] = (await operator.send("GET", "/operator/v1/connections")).body.data;
const path = `/operator/v1/connections/${connection}/notifications`;
const reason = "Compared with the Customer Area.";

const list = async (query = "") => (await operator.send("GET", `${path}${query}`)).body.data;
const inReview = () =>
  until(
    () => list("?state=review"),
    (found) => found.length > 0,
  );

let orders = 0;

/** Pays an order of another system at Adyen. Waits until Adyen's notification is in review, and returns it. */
async function receiveForReview() {
  orders += 1;
  const paid = await fetch(`${adyen.url}/v72/payments`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({
      amount: { currency: "EUR", value: 1130 },
      merchantAccount: "FieldwareECOM",
      paymentMethod: {
        type: "scheme",
        number: approvedCard.number,
        expiryMonth: "03",
        expiryYear: "2030",
        cvc: approvedCard.cvc,
      },
      reference: `order ${orders}`,
      returnUrl: "https://shop.example/return",
    }),
  });
  assert.equal(paid.status, 200, await paid.text());
  return (await inReview())[0];
}

async function pay(): Promise<string> {
  const browser = await createCheckout(shop, {}, key);
  const card = await browser.type("4111111111111111", { cvc: "737" });
  await browser.confirm(card.body.payment_method_id);
  const { data } = (await shop.get("/charges", { as: key })).body;
  return data[0].id;
}

test("a notification is listed with its charge and account, and without personal and card data", async () => {
  const charge = await pay();
  const [notification] = await until(
    () => list(),
    (found) => found.some(({ charge: named }: { charge: string }) => named === charge),
  );
  assert.deepEqual(
    [notification.reference, notification.charge, notification.account],
    [charge, charge, account],
  );
  const { fields } = notification;
  assert.deepEqual(
    [fields.eventCode, fields.success, fields["amount.value"], fields.merchantReference],
    ["AUTHORISATION", "true", "1999", charge],
  );
  for (const hidden of ["reason", "expiryDate", "cardSummary", "cardHolderName"]) {
    assert.equal(fields[hidden], undefined, hidden);
  }
  assert.doesNotMatch(JSON.stringify(notification), /03\/2030|hmacSignature/);
});

test("a notification in review is counted, and dismissed once with a reason that is audited", async () => {
  const { id, version, problem, charge } = await receiveForReview();
  assert.deepEqual(
    [problem, charge],
    ["The notification does not name a charge or operation of this service.", null],
  );
  const health = async () =>
    (await operator.send("GET", `/operator/v1/connections/${connection}/health`)).body;
  assert.equal((await health()).notifications.review, 1);

  const dismiss = () => operator.send("POST", `${path}/${id}/dismiss`, { version, reason });
  const replies = await Promise.all([dismiss(), dismiss()]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400]);
  const rejected = await dismiss();
  assert.deepEqual(errorOf(rejected), [
    400,
    "invalid_request_error",
    "resource_changed",
    "version",
  ]);
  const again = { version: version + 1, reason };
  assert.deepEqual(errorOf(await operator.send("POST", `${path}/${id}/dismiss`, again)), [
    400,
    "invalid_request_error",
    "status_transition_invalid",
  ]);
  assert.deepEqual(
    (await list("?state=dismissed")).map((one: { id: string }) => one.id),
    [id],
  );
  assert.equal((await health()).notifications.review, 0);
  const audit = await operator.send(
    "GET",
    "/operator/v1/audit?action=acquirer_notification.dismissed",
  );
  const [entry] = audit.body.data;
  assert.deepEqual([entry.object_id, entry.reason, entry.actor.id], [id, reason, operator.id]);
});

test("a notification that an operator applies again returns to review if its problem remains", async () => {
  const { id, version, problem } = await receiveForReview();
  const retried = await operator.send("POST", `${path}/${id}/apply`, { version });
  assert.equal(retried.status, 200, retried.text);
  assert.deepEqual([retried.body.state, retried.body.version], ["pending", version + 1]);
  const [returned] = await inReview();
  assert.deepEqual([returned.id, returned.version, returned.problem], [id, version + 2, problem]);
  const body = { version: version + 2, reason };
  const dismissed = await operator.send("POST", `${path}/${id}/dismiss`, body);
  assert.equal(dismissed.status, 200, dismissed.text);
});

test("decisions require a recent step-up, and a connection shows only its own notifications", async () => {
  const { id, version } = await receiveForReview();
  const other = (
    await operator.send("POST", "/operator/v1/connections", {
      processor: "adyen",
      name: "Another",
      environment: "sandbox",
      settings: { merchant_account: "OtherECOM" },
      reason,
    })
  ).body.id;
  const elsewhere = `/operator/v1/connections/${other}/notifications`;
  assert.deepEqual((await operator.send("GET", elsewhere)).body.data, []);
  const body = { version, reason };
  const missing = await operator.send("POST", `${elsewhere}/${id}/dismiss`, body);
  assert.equal(missing.status, 404);
  shop.clock.advance(11 * minute);
  for (const [action, params] of [
    ["apply", { version }],
    ["dismiss", body],
  ] as const) {
    const rejected = await operator.send("POST", `${path}/${id}/${action}`, params);
    assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "step_up_required"]);
  }
  assert.equal((await list("?state=review")).length, 1);
});
