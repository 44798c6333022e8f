import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, sdkAcceptsSignature } from "./adyen-sdk.fixture.ts";
import { officialDocument } from "./official-document.fixture.ts";
import {
  account,
  hold,
  modification,
  type RunningFake,
  runFake,
  sale,
  waitFor,
} from "./running-fake.fixture.ts";

const webhooks = officialDocument("Webhooks-v1.json");
const minute = 60_000;

/** The schema of each event in the official document. */
const schemas: Record<string, string> = {
  AUTHORISATION: "AuthorisationNotificationRequest",
  CAPTURE: "CaptureNotificationRequest",
  CAPTURE_FAILED: "RefundCaptureFailedNotificationRequest",
  CANCELLATION: "CancellationNotificationRequest",
  REFUND: "RefundNotificationRequest",
  REFUND_FAILED: "RefundCaptureFailedNotificationRequest",
  CANCEL_OR_REFUND: "CancelOrRefundNotificationRequest",
  TECHNICAL_CANCEL: "ModificationNotificationRequest",
  EXPIRE: "ExpireNotificationRequest",
};

test("a notification of each kind is valid against the official document, and the SDK accepts its signature", async (t) => {
  const fake = await runFake(t);
  const { sdk, control, receiver } = fake;
  await control("POST faults", { endpoint: "captures", fault: "late_capture_failure" });
  await control("POST faults", { endpoint: "refunds", fault: "late_refund_failure" });
  const held = await sdk.payments(hold("ch_1"));
  await sdk.capture(held.pspReference, modification("op_1", 500));
  await sdk.payments(hold("ch_2", { paymentMethod: { holderName: "DECLINED" } }));
  const cancelled = await sdk.payments(hold("ch_3"));
  await sdk.cancel(cancelled.pspReference, modification("op_3"));
  const sold = await sdk.payments(sale("ch_4"));
  await sdk.refund(sold.pspReference, modification("op_4", 100));
  await sdk.reverse(sold.pspReference, modification("op_5"));
  await sdk.payments(hold("ch_6"));
  await sdk.cancelByReference({ ...modification("op_6"), paymentReference: "ch_6" });
  await receiver.item("TECHNICAL_CANCEL");
  await control("POST clock", { advanceMs: 28 * 24 * 60 * minute });
  for (const eventCode of Object.keys(schemas)) await receiver.item(eventCode);
  for (const body of receiver.bodies) {
    const item = body.notificationItems[0].NotificationRequestItem;
    assert.equal(body.live, "false");
    assert.match(item.success, /^(true|false)$/);
    assert.ok(sdkAcceptsSignature(item, account.hmacKey), item.eventCode);
    if (typeof webhooks !== "string") webhooks.assertValid(schemas[item.eventCode] ?? "", body);
  }
});

test("a refused payment is reported with success 'false' and the reason", async (t) => {
  const { sdk, receiver } = await runFake(t);
  await sdk.payments(sale("ch_1", { paymentMethod: { holderName: "NOT_ENOUGH_BALANCE" } }));
  const item = await receiver.item("AUTHORISATION");
  assert.deepEqual([item.success, item.reason], ["false", "Not enough balance"]);
});

test("a notification is repeated with backoff until a 2xx response", async (t) => {
  const { sdk, receiver, control } = await runFake(t);
  receiver.status = 500;
  await sdk.payments(sale("ch_1"));
  const attempts = async () => (await control("GET notifications")).notifications[0].attempts;
  await waitUntil(async () => (await attempts()) === 4);
  await control("POST clock", { advanceMs: minute });
  assert.equal(await attempts(), 4);
  await control("POST clock", { advanceMs: minute });
  await waitUntil(async () => (await attempts()) === 5);
  receiver.status = 200;
  await control("POST clock", { advanceMs: 5 * minute });
  await receiver.item("AUTHORISATION");
  await waitUntil(async () => (await stateOf(control)) === "delivered");
});

async function stateOf(control: RunningFake["control"]): Promise<string> {
  return (await control("GET notifications")).notifications[0].state.kind;
}

async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail("The condition did not become true within 10 s.");
}

test("a notification is abandoned after 30 days", async (t) => {
  const { sdk, receiver, control } = await runFake(t);
  receiver.status = 500;
  await sdk.payments(sale("ch_1"));
  await waitUntil(async () => (await control("GET notifications")).notifications[0].attempts === 4);
  await control("POST clock", { advanceMs: 30 * 24 * 60 * minute + minute });
  await waitUntil(async () => (await stateOf(control)) === "abandoned");
});

test("new notifications use a new HMAC key, and recorded ones keep their signature", async (t) => {
  const { sdk, receiver, control } = await runFake(t, { delivery: "held" });
  await sdk.payments(sale("ch_1"));
  const { hmacKey } = await control(`POST accounts/${account.merchantAccount}/hmac_key`);
  await sdk.payments(sale("ch_2"));
  const { notifications } = await control("GET notifications?state=held");
  for (const { id } of notifications) {
    assert.equal((await control(`POST notifications/${id}/send`)).delivered, true);
  }
  const [before, after] = receiver.items as [Json, Json];
  assert.ok(sdkAcceptsSignature(before, account.hmacKey));
  assert.ok(!sdkAcceptsSignature(after, account.hmacKey));
  assert.ok(sdkAcceptsSignature(after, hmacKey));
});

test("held notifications are sent in any order", async (t) => {
  const { sdk, receiver, control } = await runFake(t, { delivery: "held" });
  const { pspReference } = await sdk.payments(hold("ch_1"));
  await sdk.capture(pspReference, modification("op_1", 1000));
  const list = async () => (await control("GET notifications?state=held")).notifications;
  await waitUntil(async () => (await list()).length === 2);
  const [authorisation, capture] = await list();
  await control(`POST notifications/${capture.id}/send`);
  await control(`POST notifications/${authorisation.id}/send`);
  assert.deepEqual(
    receiver.items.map(({ eventCode }) => eventCode),
    ["CAPTURE", "AUTHORISATION"],
  );
  await waitFor("both deliveries", () => receiver.items.length === 2 || undefined);
});

test("all held notifications are sent together, and each of them once", async (t) => {
  const { sdk, receiver, control } = await runFake(t);
  const path = `accounts/${account.merchantAccount}`;
  await control(`PUT ${path}`, { delivery: "held" });
  await sdk.payments(sale("ch_1"));
  await sdk.payments(sale("ch_2"));
  const list = async () => (await control("GET notifications?state=held")).notifications;
  await waitUntil(async () => (await list()).length === 2);
  assert.equal(receiver.items.length, 0);
  assert.deepEqual(await control(`POST ${path}/send_held`), { sent: 2 });
  assert.deepEqual(await control(`POST ${path}/send_held`), { sent: 0 });
  await waitFor("both deliveries", () => receiver.items.length === 2 || undefined);
});

test("a test notification is signed and names no payment", async (t) => {
  const { receiver, control } = await runFake(t);
  const command = `POST accounts/${account.merchantAccount}/test_notification`;
  assert.deepEqual(await control(command), { delivered: true });
  const [item] = receiver.items as [Json];
  assert.equal(item.pspReference, "test_AUTHORISATION_1");
  assert.ok(sdkAcceptsSignature(item, account.hmacKey));
  receiver.status = 500;
  assert.deepEqual(await control(command), { delivered: false });
});
