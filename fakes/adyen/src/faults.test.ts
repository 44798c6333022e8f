import assert from "node:assert/strict";
import { test } from "node:test";
import { sdkAcceptsSignature } from "./adyen-sdk.fixture.ts";
import {
  account,
  hold,
  modification,
  type RunningFake,
  runFake,
  sale,
  waitFor,
} from "./running-fake.fixture.ts";

const key = { "idempotency-key": "key-1" };

async function paymentCount({ control }: RunningFake): Promise<number> {
  return (await control("GET payments")).payments.length;
}

for (const fault of ["cut_before_response", "cut_in_body"]) {
  test(`${fault}: the connection ends, the payment exists, and a repeat returns it`, async (t) => {
    const fake = await runFake(t);
    await fake.control("POST faults", { endpoint: "payments", fault });
    await assert.rejects(fake.post("/v72/payments", sale("ch_1"), key));
    assert.equal(await paymentCount(fake), 1);
    const repeated = await fake.post("/v72/payments", sale("ch_1"), key);
    assert.equal(repeated.body.resultCode, "Authorised");
    assert.equal(await paymentCount(fake), 1);
    await fake.receiver.item("AUTHORISATION");
  });
}

test("cut_before_response with processed: false leaves no payment", async (t) => {
  const fake = await runFake(t);
  const fault = "cut_before_response";
  await fake.control("POST faults", { endpoint: "payments", fault, processed: false });
  await assert.rejects(fake.post("/v72/payments", sale("ch_1"), key));
  assert.equal(await paymentCount(fake), 0);
});

test("html_502 is a page of a gateway, whether or not the payment exists", async (t) => {
  const fake = await runFake(t);
  for (const [processed, count] of [
    [false, 0],
    [true, 1],
  ] as const) {
    await fake.control("POST faults", { endpoint: "payments", fault: "html_502", processed });
    const response = await fake.post("/v72/payments", sale("ch_1"), key);
    assert.equal(response.status, 502);
    assert.match(response.body.text, /^<html>/);
    assert.equal(await paymentCount(fake), count);
  }
});

test("too_many_requests and transient_error process nothing", async (t) => {
  const fake = await runFake(t);
  await fake.control("POST faults", { endpoint: "payments", fault: "too_many_requests" });
  await fake.control("POST faults", { endpoint: "payments", fault: "transient_error" });
  const limited = await fake.post("/v72/payments", sale("ch_1"), key);
  assert.equal(limited.status, 429);
  const transient = await fake.post("/v72/payments", sale("ch_1"), key);
  assert.deepEqual([transient.status, transient.body.errorCode], [503, "703"]);
  assert.equal(transient.headers.get("transient-error"), "true");
  assert.equal(await paymentCount(fake), 0);
  assert.equal((await fake.post("/v72/payments", sale("ch_1"), key)).status, 200);
});

test("a fault applies only to its endpoint, and to as many requests as `times` says", async (t) => {
  const fake = await runFake(t);
  const { pspReference } = await fake.sdk.payments(hold("ch_1"));
  const fault = { endpoint: "captures", fault: "too_many_requests", times: 2 };
  await fake.control("POST faults", fault);
  const path = `/v72/payments/${pspReference}/captures`;
  const statuses = [
    (await fake.post("/v72/payments", sale("ch_2"))).status,
    (await fake.post(path, modification("op_1", 100))).status,
    (await fake.post(path, modification("op_1", 100))).status,
    (await fake.post(path, modification("op_1", 100))).status,
  ];
  assert.deepEqual(statuses, [200, 429, 429, 201]);
  assert.deepEqual((await fake.control("GET faults")).faults, []);
});

test("a fault with a merchant account applies only to the requests of that account", async (t) => {
  const fake = await runFake(t);
  const fault = { endpoint: "payments", fault: "too_many_requests" };
  await fake.control("POST faults", { ...fault, merchantAccount: "OtherECOM" });
  assert.equal((await fake.post("/v72/payments", sale("ch_1"))).status, 200);
  const { merchantAccount } = sale("ch_2");
  await fake.control("POST faults", { ...fault, merchantAccount });
  assert.equal((await fake.post("/v72/payments", sale("ch_2"))).status, 429);
});

test("the request log contains repeated and rejected requests", async (t) => {
  const fake = await runFake(t);
  await fake.control("POST faults", { endpoint: "payments", fault: "too_many_requests" });
  const key = { "idempotency-key": "key 1" };
  for (let sent = 0; sent < 3; sent++) await fake.post("/v72/payments", sale("ch_1"), key);
  const { requests } = await fake.control("GET requests?reference=ch_1");
  assert.deepEqual(
    requests.map(({ endpoint, idempotencyKey }: Record<string, string>) => [
      endpoint,
      idempotencyKey,
    ]),
    Array(3).fill(["payments", "key 1"]),
  );
});

test("slow waits for the given time", async (t) => {
  const fake = await runFake(t);
  await fake.control("POST faults", { endpoint: "payments", fault: "slow", delayMs: 150 });
  const begun = Date.now();
  await fake.post("/v72/payments", sale("ch_1"));
  assert.ok(Date.now() - begun >= 145);
});

test("early_notification arrives before the response", async (t) => {
  const fake = await runFake(t);
  for (const endpoint of ["payments", "captures"]) {
    await fake.control("POST faults", { endpoint, fault: "early_notification" });
  }
  const payment = await fake.sdk.payments(hold("ch_1"));
  assert.deepEqual(
    fake.receiver.items.map((item) => item.pspReference),
    [payment.pspReference],
  );
  await fake.sdk.capture(payment.pspReference, modification("op_1", 1000));
  assert.equal(fake.receiver.items[1]?.eventCode, "CAPTURE");
});

test("duplicate_notification arrives twice", async (t) => {
  const fake = await runFake(t);
  await fake.control("POST faults", { endpoint: "payments", fault: "duplicate_notification" });
  await fake.sdk.payments(sale("ch_1"));
  await waitFor("the second", () => fake.receiver.items.length === 2 || undefined);
  assert.deepEqual(fake.receiver.items[0], fake.receiver.items[1]);
});

test("lost_notification arrives only when the control API sends it", async (t) => {
  const fake = await runFake(t);
  await fake.control("POST faults", { endpoint: "payments", fault: "lost_notification" });
  await fake.sdk.payments(sale("ch_1"));
  await fake.sdk.payments(sale("ch_2"));
  await fake.receiver.item("AUTHORISATION", "ch_2");
  const { notifications } = await fake.control("GET notifications?state=lost");
  assert.equal(notifications[0].merchantReference, "ch_1");
  assert.equal(fake.receiver.items.length, 1);
  await fake.control(`POST notifications/${notifications[0].id}/send`);
  await fake.receiver.item("AUTHORISATION", "ch_1");
});

test("forged_notification adds a notification with the opposite outcome and a wrong signature", async (t) => {
  const fake = await runFake(t);
  await fake.control("POST faults", { endpoint: "payments", fault: "forged_notification" });
  await fake.sdk.payments(sale("ch_1"));
  await waitFor("both", () => fake.receiver.items.length === 2 || undefined);
  const results = fake.receiver.items.map((item) => [
    item.success,
    sdkAcceptsSignature(item, account.hmacKey),
  ]);
  assert.deepEqual(results.sort(), [
    ["false", false],
    ["true", true],
  ]);
});

test("late_capture_failure of a sale contains the reference of the payment", async (t) => {
  const fake = await runFake(t);
  const fault = { endpoint: "payments", fault: "late_capture_failure", delayMs: 20 };
  await fake.control("POST faults", fault);
  const { pspReference } = await fake.sdk.payments(sale("ch_1"));
  const failed = await fake.receiver.item("CAPTURE_FAILED", "ch_1");
  assert.equal(failed.originalReference, pspReference);
  const { balances } = await fake.control("GET ledger");
  const payable = balances.find((entry: { account: string }) => entry.account === "payable");
  assert.equal(payable.credit, payable.debit);
});

test("late_capture_failure and late_refund_failure follow a success", async (t) => {
  const fake = await runFake(t);
  const failLater = (endpoint: string, fault: string) =>
    fake.control("POST faults", { endpoint, fault, delayMs: 20 });
  await failLater("captures", "late_capture_failure");
  await failLater("refunds", "late_refund_failure");
  const held = await fake.sdk.payments(hold("ch_1"));
  const sold = await fake.sdk.payments(sale("ch_2"));
  await fake.sdk.capture(held.pspReference, modification("op_1", 1000));
  await fake.sdk.refund(sold.pspReference, modification("op_2", 300));
  assert.equal((await fake.receiver.item("CAPTURE")).success, "true");
  await fake.receiver.item("CAPTURE_FAILED", "op_1");
  await fake.receiver.item("REFUND_FAILED", "op_2");
  const { balances } = await fake.control("GET ledger");
  const payable = balances.find((entry: { account: string }) => entry.account === "payable");
  assert.equal(payable.credit - payable.debit, 1000);
});
