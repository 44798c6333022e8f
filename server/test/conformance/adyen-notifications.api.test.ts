import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, beforeEach, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { newId, uuidOf } from "../../src/core/ids.ts";
import { createClient } from "../client.ts";
import { createConnectionClient, hmacKey } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf } from "../shop.ts";
import { day, hour } from "../test-clock.ts";
import { dose, sample } from "../test-size.ts";
import { until } from "../until.ts";
import { startConnectedAdyenShop } from "./adyen-shop.ts";

/*
 * Adyen's notifications arrive twice, late, in any order and with wrong values. The fake of Adyen holds back every
 * notification, and the tests send them one by one, changed or unchanged.
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
const account = "accounts/FieldwareECOM";
const client = createClient(shop.url);
after(() => client.close());
const { accounts } = await adyen.control<{ accounts: { webhookUrl: string }[] }>("GET accounts");
const path = new URL((accounts[0] as { webhookUrl: string }).webhookUrl).pathname;

type Item = {
  additionalData: Record<string, string>;
  amount: { value: number; currency: string };
  eventCode: string;
  eventDate: string;
  merchantAccountCode: string;
  merchantReference: string;
  originalReference?: string;
  pspReference: string;
  success: string;
};
type Body = { live: string; notificationItems: { NotificationRequestItem: Item }[] };

beforeEach(() => adyen.control(`PUT ${account}`, { delivery: "held" }));

/** Waits until Adyen holds a notification with this event code about the object. */
async function held(eventCode: string, reference: string): Promise<Body> {
  const query = `eventCode=${eventCode}&merchantReference=${reference}`;
  const { notifications } = await until(
    () => adyen.control<{ notifications: { body: string }[] }>(`GET notifications?${query}`),
    ({ notifications }) => notifications.length > 0,
  );
  return JSON.parse((notifications.at(-1) as { body: string }).body);
}

/** Changes the item of a notification, and signs it again. */
function changed(body: Body, change: (item: Item, body: Body) => void, key = hmacKey): Body {
  const copy = structuredClone(body);
  const item = itemOf(copy);
  change(item, copy);
  const signed = [
    item.pspReference,
    item.originalReference ?? "",
    item.merchantAccountCode,
    item.merchantReference,
    item.amount.value,
    item.amount.currency,
    item.eventCode,
    item.success,
  ].join(":");
  item.additionalData.hmacSignature = createHmac("sha256", Buffer.from(key, "hex"))
    .update(signed)
    .digest("base64");
  return copy;
}

/** Returns the only item of a notification. The fake sends each item in a separate notification. */
function itemOf({ notificationItems: [first] }: Body): Item {
  assert(first);
  return first.NotificationRequestItem;
}

const deliver = async (body: Body) => (await client.send("POST", path, { body })).status;

/**
 * Delivers a notification, and waits until the service has handled it. Returns the problem that the service recorded
 * for it, or null.
 */
async function deliverAndHandle(body: Body): Promise<string | null> {
  assert.equal(await deliver(body), 202);
  const { pspReference, success } = itemOf(body);
  const [latest] = await until(
    () => shop.app.database.read<{ state: string; problem: string | null }>`
      select state, problem from acquirer_notifications
       where item ->> 'pspReference' = ${pspReference} and item ->> 'success' = ${success}
       order by id desc limit 1`,
    ([row]) => row !== undefined && row.state !== "pending",
  );
  return latest?.problem ?? null;
}

const eventsOf = async (id: string, type: string) =>
  (await get("/events?limit=100")).data.filter(
    (event: { type: string; data: { object: { id: string } } }) =>
      event.type === type && event.data.object.id === id,
  );

/** Creates a charge whose response is lost. Only the held notification contains its outcome. */
async function unknownCharge() {
  await adyen.fault("payments", "cut_before_response");
  const { id, status } = await pay(await checkout());
  assert.equal(status, "processing");
  return { id, notification: await held("AUTHORISATION", id) };
}

async function pendingRefund() {
  const { id: charge } = await payUntil("succeeded");
  const { body } = await post("/refunds", { charge_id: charge, amount: 700 });
  assert.equal(body.pending_reason, "acquirer_processing");
  return {
    charge,
    id: body.id as string,
    notification: await held("REFUND", body.id.replace("re_", "op_")),
  };
}

async function pendingCapture() {
  const { id } = await payUntil("authorized", { capture_method: "manual" });
  await post(`/charges/${id}/capture`, {});
  const list = "GET notifications?eventCode=CAPTURE&state=held";
  const { notifications } = await until(
    () => adyen.control<{ notifications: { body: string }[] }>(list),
    ({ notifications }) => notifications.length > 0,
  );
  return { id, notification: JSON.parse((notifications.at(-1) as { body: string }).body) as Body };
}

const alterations = {
  amount: (item: Item) => {
    item.amount.value += 1;
  },
  currency: (item: Item) => {
    item.amount.currency = "EUR";
  },
  environment: (_: Item, body: Body) => {
    body.live = "true";
  },
} satisfies Record<string, (item: Item, body: Body) => void>;

for (const [what, alter] of Object.entries(alterations)) {
  const problem = `The ${what} in the notification differs from that of the request.`;

  test(`an approval notification with a wrong ${what} goes to review, and the correct one completes the charge`, async () => {
    const { id, notification } = await unknownCharge();
    assert.equal(await deliverAndHandle(changed(notification, alter)), problem);
    assert.equal((await chargeOf(id)).status, "processing");
    assert.equal(await deliverAndHandle(notification), null);
    assert.equal((await chargeOf(id)).status, "succeeded");
  });

  test(`a capture notification with a wrong ${what} goes to review, and the correct one completes the capture`, async () => {
    const { id, notification } = await pendingCapture();
    assert.equal(await deliverAndHandle(changed(notification, alter)), problem);
    assert.equal((await chargeOf(id)).status, "authorized");
    assert.equal(await deliverAndHandle(notification), null);
    assert.equal((await chargeOf(id)).status, "succeeded");
  });

  test(`a refund notification with a wrong ${what} goes to review, and the correct one completes the refund`, async () => {
    const { id, notification } = await pendingRefund();
    assert.equal(await deliverAndHandle(changed(notification, alter)), problem);
    assert.equal((await get(`/refunds/${id}`)).status, "pending");
    assert.equal(await deliverAndHandle(notification), null);
    assert.equal((await get(`/refunds/${id}`)).status, "succeeded");
  });
}

test("a notification for another merchant account changes nothing, and the correct one completes the charge", async () => {
  const { id, notification } = await unknownCharge();
  const other = changed(notification, (item) => {
    item.merchantAccountCode = "OtherECOM";
  });
  assert.equal(await deliver(other), 202);
  await until(
    () => shop.app.database.read<{ due_at: Date | null }>`
      select due_at from acquirer_notifications
       where item ->> 'merchantAccount' = 'OtherECOM' and due_at > received_at`,
    (rows) => rows.length > 0,
  );
  assert.equal((await chargeOf(id)).status, "processing");
  assert.equal(await deliverAndHandle(notification), null);
  assert.equal((await chargeOf(id)).status, "succeeded");
});

/** Returns the stored notifications about the charge. Their version increases each time they are changed. */
const storedAbout = (charge: string) => shop.app.database.read<{ state: string; version: number }>`
  select state, version from acquirer_notifications
   where item ->> 'merchantReference' = ${charge} order by id`;

test("a notification that repeats the recorded outcome is stored as ignored, and does not wait for a job", async () => {
  const { id } = await payUntil("succeeded");
  assert.equal(await deliver(await held("AUTHORISATION", id)), 202);
  assert.deepEqual(await storedAbout(id), [{ state: "ignored", version: 1 }]);
});

test("a repeated approval with a wrong amount or another merchant account is not ignored", async () => {
  const { id } = await payUntil("succeeded");
  const notification = await held("AUTHORISATION", id);
  const problem = await deliverAndHandle(changed(notification, alterations.amount));
  assert.match(problem ?? "", /^The amount in the notification differs/);
  const other = changed(notification, (item) => {
    item.merchantAccountCode = "OtherECOM";
  });
  assert.equal(await deliver(other), 202);
  const states = (await storedAbout(id)).map(({ state }) => state);
  assert.deepEqual(states, ["review", "pending"]);
});

test("a second approval of the same charge as another payment is shown to an operator", async () => {
  const { id } = await payUntil("succeeded");
  const approval = await held("AUTHORISATION", id);
  const second = changed(approval, (item) => {
    const last = item.pspReference.endsWith("2") ? "3" : "2";
    item.pspReference = `${item.pspReference.slice(0, -1)}${last}`;
  });
  assert.equal(
    await deliverAndHandle(second),
    "The acquirer approved the charge a second time, as another payment.",
  );
  assert.equal(await deliverAndHandle(approval), null);
});

test("a notification that arrives while the outcome is being recorded waits for it", async () => {
  // The response must arrive after the lock is acquired.
  await adyen.fault("payments", "slow", { delayMs: 2_000 });
  const browser = await checkout();
  const paid = pay(browser);
  const { id } = await until(
    async () => (await get("/charges?limit=1")).data[0] ?? {},
    (charge) => charge.checkout_session_id === browser.session,
  );
  let delivered = Promise.resolve(0);
  await shop.app.database.transaction(async (tx) => {
    await tx`select 1 from charges where id = ${uuidOf(id)} for update`;
    await until(
      () => shop.app.database.read`
        select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%charges%'`,
      (waiting) => waiting.length > 0,
    );
    delivered = deliver(await held("AUTHORISATION", id));
    await setTimeout(200);
    assert.deepEqual(await storedAbout(id), []);
  });
  assert.equal(await delivered, 202);
  assert.deepEqual(await storedAbout(id), [{ state: "ignored", version: 1 }]);
  assert.equal((await paid).status, "succeeded");
});

test("a notification that arrives three times is applied once", async () => {
  const { id, notification } = await unknownCharge();
  for (let count = 0; count < 3; count++) await deliverAndHandle(notification);
  await chargeWith(id, "succeeded");
  assert.equal((await eventsOf(id, "payment.succeeded")).length, 1);
});

test("a refund is applied once if its notification arrives three times", async () => {
  const { charge, id, notification } = await pendingRefund();
  for (let count = 0; count < 3; count++) await deliverAndHandle(notification);
  await refundWith(id, "succeeded");
  assert.equal((await chargeOf(charge)).amount_refunded, 700);
});

test("an approval notification that arrives after the capture notification changes nothing", async () => {
  const { id, notification } = await pendingCapture();
  assert.equal(await deliverAndHandle(notification), null);
  assert.equal(await deliverAndHandle(await held("AUTHORISATION", id)), null);
  assert.equal((await chargeOf(id)).status, "succeeded");
  assert.equal((await eventsOf(id, "payment.succeeded")).length, 1);
});

/** Returns all permutations of the list. */
function ordersOf<One>(all: readonly One[]): One[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((first) =>
    ordersOf(all.filter((one) => one !== first)).map((rest) => [first, ...rest]),
  );
}

for (const lateFailure of ["REFUND_FAILED", "REFUNDED_REVERSED"] as const) {
  const orders = ordersOf(["success", "failure", "repeated success", "repeated failure"]);
  for (const order of sample(orders, dose("orders", { short: 3, long: orders.length }))) {
    test(`a refund fails and its amount is refundable after ${lateFailure} in the order ${order.join(", ")}`, async () => {
      const { charge, id, notification } = await pendingRefund();
      const before = await get("/balance");
      const failure = changed(notification, (item) => {
        item.eventCode = lateFailure;
        item.success = "true";
      });
      for (const which of order) {
        const body = which.endsWith("failure") ? failure : notification;
        assert.equal(await deliverAndHandle(body), null);
      }
      const refund = await get(`/refunds/${id}`);
      assert.deepEqual([refund.status, (await chargeOf(charge)).amount_refunded], ["failed", 0]);
      assert.deepEqual(await get("/balance"), before);
      assert.equal((await eventsOf(id, "refund.failed")).length, 1);
      const again = await post("/refunds", { charge_id: charge, amount: 1999 });
      assert.equal(again.status, 201, again.text);
    });
  }
}

for (const kind of ["sale", "capture"] as const) {
  const orders = ordersOf(["success", "failure", "repeated success", "repeated failure"]);
  for (const order of sample(orders, dose("orders", { short: 3, long: orders.length }))) {
    test(`a ${kind} that fails later is failed once by the order ${order.join(", ")}`, async () => {
      // Without a response between the lost ones, the service would consider Adyen unreachable and send no charge.
      await payUntil("succeeded");
      const before = await get("/balance");
      const { id, notification } = kind === "sale" ? await unknownCharge() : await pendingCapture();
      const failure = changed(notification, (item) => {
        item.eventCode = "CAPTURE_FAILED";
        item.success = "true";
        item.eventDate = laterThan(item, 2);
      });
      for (const which of order) {
        const body = which.endsWith("failure") ? failure : notification;
        // Changes the time of the event, because the service does not store a second notification of the same event.
        const again = changed(body, (item) => {
          item.eventDate = laterThan(item, 1);
        });
        assert.equal(await deliver(which.startsWith("repeated") ? again : body), 202);
      }
      await chargeWith(id, "failed");
      assert.deepEqual(await unapplied(), []);
      assert.deepEqual((await get("/balance")).pending, before.pending);
      assert.deepEqual((await get("/balance")).available, before.available);
      for (const type of ["payment.succeeded", "payment.capture_failed"]) {
        assert.equal((await eventsOf(id, type)).length, 1, type);
      }
    });
  }
}

/** Returns the date of the item plus some seconds. */
function laterThan({ eventDate }: Item, seconds: number): string {
  return new Date(Date.parse(eventDate) + seconds * 1_000).toISOString();
}

/** Waits until the last four notifications, which are about the last payment, are handled. Returns their problems. */
async function unapplied(): Promise<string[]> {
  const rows = await until(
    () => shop.app.database.read<{ state: string; problem: string | null }>`
      select state, problem from acquirer_notifications
       where event_code in ('CAPTURE_FAILED', 'CAPTURE', 'AUTHORISATION')
       order by id desc limit 4`,
    (found) => found.every(({ state }) => state !== "pending"),
  );
  return rows.flatMap(({ problem }) => problem ?? []);
}

test("a capture that Adyen repeats after its failure is shown to an operator", async () => {
  const { id, notification } = await pendingCapture();
  const failure = changed(notification, (item) => {
    item.eventCode = "CAPTURE_FAILED";
    item.eventDate = laterThan(item, 2);
  });
  assert.equal(await deliverAndHandle(notification), null);
  assert.equal(await deliver(failure), 202);
  await chargeWith(id, "failed");
  const repeated = changed(notification, (item) => {
    item.eventDate = laterThan(item, 60);
  });
  assert.equal(await deliver(repeated), 202);
  const [problem] = await until(unapplied, (found) => found.length > 0);
  assert.match(problem ?? "", /The capture has failed, but the acquirer reports that it succeeded/);
});

test("a notification that a rejected refund has succeeded is shown to an operator", async () => {
  const { charge, id, notification } = await pendingRefund();
  const rejection = changed(notification, (item) => {
    item.success = "false";
  });
  assert.equal(await deliverAndHandle(rejection), null);
  const problem = await deliverAndHandle(notification);
  assert.match(problem ?? "", /The refund has failed, but the acquirer reports that it succeeded/);
  assert.equal((await get(`/refunds/${id}`)).status, "failed");
  assert.equal((await chargeOf(charge)).amount_refunded, 0);
});

test('an authorization with success "false" fails the charge, and a later approval is shown to an operator', async () => {
  const { id, notification } = await unknownCharge();
  const declined = changed(notification, (item) => {
    item.success = "false";
  });
  assert.equal(await deliverAndHandle(declined), null);
  assert.equal((await chargeOf(id)).status, "failed");
  assert.match((await deliverAndHandle(notification)) ?? "", /^The charge is 'failed'/);
  assert.equal((await chargeOf(id)).status, "failed");
});

test('a capture with success "false" fails, and the charge can be captured again', async () => {
  const { id, notification } = await pendingCapture();
  const failed = changed(notification, (item) => {
    item.success = "false";
  });
  assert.equal(await deliverAndHandle(failed), null);
  const charge = await chargeOf(id);
  assert.deepEqual([charge.status, charge.pending_reason], ["authorized", null]);
});

test('a refund with success "false" fails, and the amount can be refunded again', async () => {
  const { charge, id, notification } = await pendingRefund();
  const failed = changed(notification, (item) => {
    item.success = "false";
  });
  assert.equal(await deliverAndHandle(failed), null);
  assert.equal((await get(`/refunds/${id}`)).status, "failed");
  assert.equal((await chargeOf(charge)).amount_refunded, 0);
});

test("a notification whose event is 40 days old is applied, because Adyen repeats it for weeks", async () => {
  const { id, notification } = await unknownCharge();
  const old = changed(notification, (item) => {
    item.eventDate = new Date(Date.now() - 40 * day).toISOString();
  });
  assert.equal(await deliverAndHandle(old), null);
  assert.equal((await chargeOf(id)).status, "succeeded");
});

test("401: a notification that an unknown key signed, or that was changed after the signature, is not stored", async () => {
  const { id, notification } = await unknownCharge();
  const forged = changed(notification, () => undefined, "AB".repeat(32));
  const tampered = structuredClone(notification);
  itemOf(tampered).amount.value = 1;
  const unsigned = structuredClone(notification);
  itemOf(unsigned).additionalData = {};
  for (const body of [forged, tampered, unsigned]) {
    const reply = await client.send("POST", path, { body });
    assert.deepEqual(errorOf(reply), [
      401,
      "authentication_error",
      "notification_signature_invalid",
    ]);
  }
  const stored = await shop.app.database.read`
    select 1 from acquirer_notifications where item ->> 'merchantReference' = ${id}`;
  assert.deepEqual([stored.length, (await chargeOf(id)).status], [0, "processing"]);
});

test("a notification whose charge does not exist is logged after 24 hours, without its contents", async () => {
  const { notification } = await unknownCharge();
  const reference = newId("ch", new Date());
  const unmatched = changed(notification, (item) => {
    item.merchantReference = reference;
  });
  assert.equal(await deliver(unmatched), 202);
  await advanceClocks(25 * hour);
  const line = await until(
    async () => shop.log.find(({ msg }) => String(msg).endsWith("no charge or operation matches")),
    (found) => found !== undefined,
  );
  assert.match(String(line?.notification), /^ntf_/);
  assert.ok(!JSON.stringify(line).includes(reference));
});

test("a notification signed with the previous HMAC key completes a payment during the overlap, and is rejected after it", async () => {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  const { id: connection } = (await operator.send("GET", "/operator/v1/connections")).body.data[0];
  const first = await unknownCharge();
  const second = await unknownCharge();
  const newKey = "CD".repeat(32);
  const rotated = await connections.change("PUT", connection, "secrets", { hmac_key: newKey });
  assert.equal(rotated.status, 200, rotated.text);

  assert.equal(await deliverAndHandle(first.notification), null);
  assert.equal((await chargeOf(first.id)).status, "succeeded");
  await advanceClocks(25 * hour);
  assert.equal(await deliver(second.notification), 401, "the overlap has ended");
  assert.equal(
    await deliver(changed(second.notification, () => undefined, newKey)),
    202,
    "Adyen signs repeated notifications with the new key",
  );
  const { capturedValue } = await paymentOf(first.id);
  assert.equal(capturedValue, 1999);
});
