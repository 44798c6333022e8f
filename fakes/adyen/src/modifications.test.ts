import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "./adyen-sdk.fixture.ts";
import {
  hold,
  modification,
  type RunningFake,
  runFake,
  sale,
  waitFor,
} from "./running-fake.fixture.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

async function paymentOf(fake: RunningFake, pspReference: string): Promise<Json> {
  const { payments } = await fake.control(`GET payments?pspReference=${pspReference}`);
  return payments[0];
}

/** Returns the credit less the debit of an account of the ledger. */
async function balanceOf(fake: RunningFake, account: string): Promise<number> {
  const { balances, isBalanced } = await fake.control("GET ledger");
  assert.equal(isBalanced, true);
  const balance = balances.find((entry: Json) => entry.account === account);
  return balance ? balance.credit - balance.debit : 0;
}

test("a capture returns 'received', and its notification names payment and operation", async (t) => {
  const fake = await runFake(t);
  const payment = await fake.sdk.payments(hold("ch_1"));
  const capture = await fake.sdk.capture(payment.pspReference, modification("op_1", 1000));
  assert.equal(capture.status, "received");
  assert.equal(capture.paymentPspReference, payment.pspReference);
  const item = await fake.receiver.item("CAPTURE");
  assert.equal(item.success, "true");
  assert.equal(item.pspReference, capture.pspReference);
  assert.equal(item.originalReference, payment.pspReference);
  assert.equal(item.merchantReference, "op_1");
  assert.deepEqual(item.amount, { currency: "EUR", value: 1000 });
  assert.equal(await balanceOf(fake, "payable"), 1000);
  assert.equal(await balanceOf(fake, "authorized"), 0);
});

test("several partial captures are possible up to the authorized amount", async (t) => {
  const fake = await runFake(t);
  const { pspReference } = await fake.sdk.payments(hold("ch_1"));
  await fake.sdk.capture(pspReference, modification("op_1", 300));
  await fake.sdk.capture(pspReference, modification("op_2", 600));
  await fake.sdk.capture(pspReference, modification("op_3", 101));
  assert.equal((await fake.receiver.item("CAPTURE", "op_2")).success, "true");
  const tooMuch = await fake.receiver.item("CAPTURE", "op_3");
  assert.deepEqual([tooMuch.success, tooMuch.reason], ["false", "Insufficient balance on payment"]);
  assert.equal(await balanceOf(fake, "payable"), 900);
  assert.equal(await balanceOf(fake, "authorized"), 100);
});

test("without multiple partial captures, the first capture releases the remainder", async (t) => {
  const fake = await runFake(t, { multiplePartialCaptures: false });
  const { pspReference } = await fake.sdk.payments(hold("ch_1"));
  await fake.sdk.capture(pspReference, modification("op_1", 300));
  await fake.sdk.capture(pspReference, modification("op_2", 100));
  assert.equal((await fake.receiver.item("CAPTURE", "op_2")).success, "false");
  assert.equal((await paymentOf(fake, pspReference)).releasedValue, 700);
  assert.equal(await balanceOf(fake, "authorized"), 0);
});

test("a cancellation releases an authorization, and fails after a capture", async (t) => {
  const fake = await runFake(t);
  const held = await fake.sdk.payments(hold("ch_1"));
  await fake.sdk.cancel(held.pspReference, modification("op_1"));
  assert.equal((await fake.receiver.item("CANCELLATION", "op_1")).success, "true");
  assert.equal(await balanceOf(fake, "authorized"), 0);
  const sold = await fake.sdk.payments(sale("ch_2"));
  await fake.sdk.cancel(sold.pspReference, modification("op_2"));
  assert.equal((await fake.receiver.item("CANCELLATION", "op_2")).success, "false");
  assert.equal(await balanceOf(fake, "payable"), 1000);
});

test("refunds are possible up to the captured amount, and not before a capture", async (t) => {
  const fake = await runFake(t);
  const sold = await fake.sdk.payments(sale("ch_1"));
  await fake.sdk.refund(sold.pspReference, modification("op_1", 400));
  await fake.sdk.refund(sold.pspReference, modification("op_2", 601));
  assert.equal((await fake.receiver.item("REFUND", "op_1")).success, "true");
  assert.equal((await fake.receiver.item("REFUND", "op_2")).success, "false");
  const held = await fake.sdk.payments(hold("ch_2"));
  await fake.sdk.refund(held.pspReference, modification("op_3", 100));
  const early = await fake.receiver.item("REFUND", "op_3");
  assert.equal(early.reason, "Transaction hasn't been captured, refund not possible");
  assert.equal(await balanceOf(fake, "payable"), 600);
});

test("a reversal cancels before a capture and refunds after it", async (t) => {
  const fake = await runFake(t);
  const held = await fake.sdk.payments(hold("ch_1"));
  const sold = await fake.sdk.payments(sale("ch_2"));
  await fake.sdk.reverse(held.pspReference, modification("op_1"));
  await fake.sdk.reverse(sold.pspReference, modification("op_2"));
  const actionOf = async (reference: string) => {
    const item = await fake.receiver.item("CANCEL_OR_REFUND", reference);
    return [item.success, item.additionalData["modification.action"]];
  };
  assert.deepEqual(await actionOf("op_1"), ["true", "cancel"]);
  assert.deepEqual(await actionOf("op_2"), ["true", "refund"]);
  assert.equal(await balanceOf(fake, "payable"), 0);
  assert.equal(await balanceOf(fake, "authorized"), 0);
});

test("a cancellation by reference is accepted for every reference, and the notification has the result", async (t) => {
  const fake = await runFake(t);
  const payment = await fake.sdk.payments(hold("ch_1"));
  const cancel = (paymentReference: string, reference: string) =>
    fake.sdk.cancelByReference({ ...modification(reference), paymentReference });
  const response = await cancel("ch_1", "op_1");
  assert.equal(response.paymentReference, "ch_1");
  const done = await fake.receiver.item("TECHNICAL_CANCEL", "ch_1");
  assert.deepEqual([done.success, done.originalReference], ["true", payment.pspReference]);
  await cancel("ch_unknown", "op_2");
  const failed = await fake.receiver.item("TECHNICAL_CANCEL", "ch_unknown");
  assert.deepEqual([failed.success, failed.originalReference], ["false", undefined]);
  assert.equal(await balanceOf(fake, "authorized"), 0);
});

test("a repeated key refunds once", async (t) => {
  const fake = await runFake(t);
  const { pspReference } = await fake.sdk.payments(sale("ch_1"));
  const options = { idempotencyKey: "refund-1" };
  const first = await fake.sdk.refund(pspReference, modification("op_1", 300), options);
  const second = await fake.sdk.refund(pspReference, modification("op_1", 300), options);
  assert.deepEqual(second, first);
  await fake.receiver.item("REFUND");
  assert.equal(await balanceOf(fake, "payable"), 700);
});

test("an authorization expires after 28 days", async (t) => {
  const fake = await runFake(t);
  const { pspReference } = await fake.sdk.payments(hold("ch_1"));
  await fake.receiver.item("AUTHORISATION");
  await fake.control("POST clock", { advanceMs: 28 * day - hour });
  assert.equal(await balanceOf(fake, "authorized"), 1000);
  await fake.control("POST clock", { advanceMs: hour });
  const item = await fake.receiver.item("EXPIRE");
  assert.deepEqual([item.pspReference, item.success], [pspReference, "true"]);
  assert.equal(await balanceOf(fake, "authorized"), 0);
});

test("an automatic capture with a delay happens after that delay, without a notification", async (t) => {
  const fake = await runFake(t);
  await fake.sdk.payments(sale("ch_1", { captureDelayHours: 2 }));
  await fake.receiver.item("AUTHORISATION");
  assert.equal(await balanceOf(fake, "payable"), 0);
  await fake.control("POST clock", { advanceMs: 2 * hour });
  assert.equal(await balanceOf(fake, "payable"), 1000);
  assert.equal(fake.receiver.items.length, 1);
});

test("a payment with the response 'Received' is approved by its notification", async (t) => {
  const fake = await runFake(t);
  const payment = await fake.sdk.payments(
    sale("ch_1", { paymentMethod: { holderName: "PENDING" } }),
  );
  assert.equal(payment.resultCode, "Received");
  assert.equal((await fake.receiver.item("AUTHORISATION")).success, "true");
  assert.equal(await balanceOf(fake, "payable"), 1000);
});

for (const [holderName, eventCode] of [
  ["refund failed", "REFUND_FAILED"],
  ["refunded reversed", "REFUNDED_REVERSED"],
] as const) {
  test(`a refund of '${holderName}' succeeds and is reversed by ${eventCode}`, async (t) => {
    const fake = await runFake(t);
    const { pspReference } = await fake.sdk.payments(
      sale("ch_1", { paymentMethod: { holderName } }),
    );
    const refund = await fake.sdk.refund(pspReference, modification("op_1", 400));
    assert.equal((await fake.receiver.item("REFUND")).success, "true");
    assert.equal(await balanceOf(fake, "payable"), 600);
    await fake.control("POST clock", { advanceMs: hour });
    const item = await fake.receiver.item(eventCode);
    assert.equal(item.pspReference, refund.pspReference);
    assert.equal(item.merchantReference, "op_1");
    assert.equal(await balanceOf(fake, "payable"), 1000);
  });
}

test("a capture of 'capture failed' succeeds, is reversed by CAPTURE_FAILED and can be repeated", async (t) => {
  const fake = await runFake(t);
  const request = hold("ch_1", { paymentMethod: { holderName: "capture failed" } });
  const { pspReference } = await fake.sdk.payments(request);
  await fake.sdk.capture(pspReference, modification("op_1", 1000));
  await fake.receiver.item("CAPTURE");
  await fake.control("POST clock", { advanceMs: hour });
  const failed = await fake.receiver.item("CAPTURE_FAILED", "op_1");
  assert.equal(await balanceOf(fake, "payable"), 0);

  await fake.control(`POST modifications/${failed.pspReference}/recapture`);
  await waitFor("the second CAPTURE", () =>
    fake.receiver.items.find((item) => item.reason === "Transaction Auto-recaptured"),
  );
  assert.equal(await balanceOf(fake, "payable"), 1000);
  assert.deepEqual((await fake.control("GET ledger/check")).mismatches, []);
});
