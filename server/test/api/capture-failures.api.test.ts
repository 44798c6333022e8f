import assert from "node:assert/strict";
import { test } from "node:test";
import {
  firstOpenHour,
  measureAgain,
  measureOn,
} from "../../src/insights/metrics/hourly-metrics.ts";
import { listHoursToRecount, listUnmeasured } from "../../src/insights/metrics/metrics.sql.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { fragment } from "../../src/platform/database/sql.ts";
import { connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { createPerson } from "../person.ts";
import { errorOf } from "../shop.ts";
import { day, hour, minute } from "../test-clock.ts";
import { until } from "../until.ts";

/*
 * Adyen reports CAPTURE_FAILED days after a successful capture. The fake lets a capture fail a day later, when a test
 * advances its clock.
 */
const { adyen, shop } = await startAdyenShop();
const { key, connection } = await connectAdyen(shop, adyen);
const path = `/operator/v1/connections/${connection}`;

const get = async (at: string) => (await shop.get(at, { as: key })).body;
const chargeOf = (id: string) => get(`/charges/${id}`);
const chargeWith = (id: string, status: string) =>
  until(
    () => chargeOf(id),
    (charge) => charge.status === status,
  );
const operator = () => createPerson(shop, { operator: true, secondFactor: true });

/** Pays in a new session, and waits until the charge has this status. */
async function payUntil(status: string, params: object = {}) {
  const browser = await createCheckout(shop, params, key);
  await pay(browser);
  const { data } = await get(`/charges?checkout_session_id=${browser.session}`);
  return chargeWith(data[0].id, status);
}

/** Pays with an automatic capture that fails a day later. */
async function sell() {
  await adyen.fault("payments", "late_capture_failure", { delayMs: day });
  return payUntil("succeeded");
}

/** Captures a part of a held payment. The capture fails a day later. */
async function hold() {
  const { id } = await payUntil("authorized", { capture_method: "manual" });
  await adyen.fault("captures", "late_capture_failure", { delayMs: day });
  await shop.post(`/charges/${id}/capture`, { amount: 1500 }, { as: key });
  return chargeWith(id, "succeeded");
}

async function failCaptures(): Promise<void> {
  shop.clock.advance(day);
  await adyen.control("POST clock", { advanceMs: day });
}

const eventsOf = async (id: string): Promise<string[]> =>
  (await get("/events?limit=100")).data
    .filter((event: { data: { object: { id: string } } }) => event.data.object.id === id)
    .map(({ type }: { type: string }) => type)
    .reverse();

const transfersOf = async (id: string) =>
  (await get(`/charges/${id}/ledger`)).transfers.map(
    (transfer: { kind: string; amount: number }) => `${transfer.kind} ${transfer.amount}`,
  );

/** The balance, with 0 for a currency that it does not contain. */
const balance = async () => {
  const { available, pending } = await get("/balance");
  return { available: available[0]?.amount ?? 0, pending: pending[0]?.amount ?? 0 };
};

/** Waits until every notification of Adyen is handled. Returns the problems of those that an operator must review. */
async function problems(): Promise<string[]> {
  const person = await operator();
  const list = async (state: string) =>
    (await person.send("GET", `${path}/notifications?state=${state}`)).body.data;
  await until(
    () => list("pending"),
    (pending) => pending.length === 0,
  );
  return (await list("review")).map(({ problem }: { problem: string }) => problem);
}

/** Closes a batch at Adyen and loses its notification. Returns the number and the report of the batch. */
async function closeUnreported(): Promise<{ number: number; report: string }> {
  await adyen.fault("reports", "lost_notification");
  const { settlement } = await adyen.control<{ settlement: { number: number; report: string } }>(
    "POST settlements",
    { merchantAccount: "FieldwareECOM" },
  );
  return settlement;
}

/** Uploads a report of the batch, and waits until it is applied as this revision. */
async function upload(batch: number, report: string, revision: number): Promise<void> {
  const person = await operator();
  const reports = `${path}/reports`;
  const file = `${reports}?file_name=settlement_detail_report.csv`;
  await person.send("POST", file, report, { "content-type": "text/csv" });
  await until(
    async () => (await person.send("GET", reports)).body.data,
    (list) =>
      list.some(
        (one: { batch: string; revision: number; applied_at: number | null }) =>
          one.batch === String(batch) && one.revision === revision && one.applied_at !== null,
      ),
  );
}

/** Asserts that Florin and Adyen agree on the amount that Adyen owes. */
async function assertSameMoney(): Promise<void> {
  const [ledger] = await shop.app.database.read<{ owed: number }>`
    select coalesce(sum(case when debit = 'acquirer_receivable' then amount
                             when credit in ('acquirer_receivable', 'bank') then -amount else 0 end), 0)::bigint as owed
      from ledger_transfers
     where livemode and currency = 'usd'`;
  const { balances } = await adyen.control<{
    balances: { account: string; currency: string; debit: number; credit: number }[];
  }>("GET ledger");
  const payable = balances.find(
    ({ account, currency }) => account === "payable" && currency === "USD",
  );
  assert.equal(ledger?.owed, payable ? payable.credit - payable.debit : 0);
}

async function reconcile() {
  shop.clock.advance(2 * minute);
  // The background loop reconciles the days of a report that has arrived.
  await shop.timers.turn();
  const on = shop.clock.now().toISOString().slice(0, 10);
  const { body, text } = await shop.post("/reconciliations", { day: on }, { as: key });
  assert.ok(body.status, text);
  const query = "status=open&status=in_transit&limit=100";
  const { data } = await get(`/reconciliation_differences?${query}`);
  const differences = data.map(
    (one: { kind: string; status: string }) => `${one.kind} ${one.status}`,
  );
  return { status: body.status, differences };
}

/** Closes the batch at Adyen, and waits until its report is applied. */
async function closeBatch(): Promise<void> {
  const person = await operator();
  const reports = async () => (await person.send("GET", `${path}/reports`)).body.data;
  const before = (await reports()).length;
  await adyen.control("POST settlements", { merchantAccount: "FieldwareECOM" });
  await until(reports, (list) => list.length > before && list[0].applied_at !== null);
}

test("a sale whose capture fails later becomes failed, and the balance returns to its earlier value", async () => {
  const before = await balance();
  const sold = await sell();
  assert.equal((await balance()).pending, before.pending + 1999 - 88);
  await failCaptures();
  const failed = await chargeWith(sold.id, "failed");
  assert.deepEqual(
    [failed.failure_code, failed.decline_code, failed.amount_captured, failed.version],
    ["processing_error", "processing_error", 0, sold.version + 1],
  );
  assert.equal(failed.outcome.network_status, "approved_by_network");
  assert.equal(failed.balance_transaction_id, sold.balance_transaction_id);
  assert.deepEqual(await balance(), before);
  assert.deepEqual(await eventsOf(sold.id), ["payment.succeeded", "payment.capture_failed"]);
  const session = await get(`/checkout_sessions/${sold.checkout_session_id}`);
  assert.deepEqual([session.status, session.payment_status], ["complete", "unpaid"]);
  assert.deepEqual(await transfersOf(sold.id), [
    "charge 1999",
    "fee 88",
    "charge_failure 1999",
    "fee_return 88",
    "pending_debit 1911",
    "available_credit 1911",
  ]);
  const { data } = await get(`/balance_transactions?source=${sold.id}`);
  assert.deepEqual(
    data.map((one: Record<string, unknown>) => [
      one.type,
      one.amount,
      one.fee,
      one.net,
      one.status,
    ]),
    [
      ["charge_failure", -1999, -88, -1911, "available"],
      ["charge", 1999, 88, 1911, "available"],
    ],
  );
  assert.equal(data[0].id, failed.failure_balance_transaction_id);
  assert.equal(data[1].available_on, data[0].created);
  assert.deepEqual((await get("/balance_transactions?type=charge_failure")).data, [data[0]]);
  const { entries: steps } = await get(`/charges/${sold.id}/timeline`);
  const types = steps.map(({ type }: { type: string }) => type);
  assert.equal(types.at(-1), "payment.capture_failed");
  assert.ok(types.includes("payment.succeeded") && !types.includes("payment_failed"));
  await assertSameMoney();
});

test("a partial capture that fails later fails its operation and returns only the captured amount", async () => {
  const before = await balance();
  const held = await hold();
  await failCaptures();
  await chargeWith(held.id, "failed");
  assert.deepEqual(await balance(), before);
  const events = await eventsOf(held.id);
  assert.equal(events.at(-1), "payment.capture_failed");
  assert.deepEqual(events.toSorted(), [
    "payment.authorized",
    "payment.capture_failed",
    "payment.captured",
    "payment.succeeded",
  ]);
  const { entries } = await get(`/charges/${held.id}/timeline`);
  const requested = entries.find(({ type }: { type: string }) => type === "capture.requested");
  assert.deepEqual([requested.status, requested.reason], ["failed", "processing_error"]);
  assert.ok((await transfersOf(held.id)).includes("charge_failure 1500"));
  await assertSameMoney();
});

test("if a refund precedes the failure, the notification waits for an operator, who applies it after the refund has failed", async () => {
  const before = await balance();
  const sold = await sell();
  await adyen.fault("refunds", "late_refund_failure", { delayMs: 2 * day });
  const { body: refund } = await shop.post(
    "/refunds",
    { charge_id: sold.id, amount: 500 },
    { as: key },
  );
  const refundWith = (status: string) =>
    until(
      () => get(`/refunds/${refund.id}`),
      (read) => read.status === status,
    );
  await refundWith("succeeded");
  await failCaptures();
  await until(problems, (found) => found.length === 1);
  assert.deepEqual(await problems(), [
    "The capture failed after it had succeeded, but the charge has refunds or disputes. Apply this notification again if the charge's refunds fail and its disputes are won.",
  ]);
  assert.equal((await chargeOf(sold.id)).status, "succeeded");
  await failCaptures();
  await refundWith("failed");
  const person = await operator();
  const review = `${path}/notifications`;
  const [{ id, version }] = (await person.send("GET", `${review}?state=review`)).body.data;
  const again = await person.send("POST", `${review}/${id}/apply`, { version });
  assert.equal(again.status, 200, again.text);
  await chargeWith(sold.id, "failed");
  assert.deepEqual([await balance(), await problems()], [before, []]);
  await assertSameMoney();
});

test("a capture that fails before its settlement is in no report, and Florin and Adyen agree on the amounts", async () => {
  const before = await balance();
  const sold = await sell();
  await failCaptures();
  await chargeWith(sold.id, "failed");
  await payUntil("succeeded");
  await closeBatch();
  const after = await balance();
  assert.equal(after.pending, before.pending);
  assert.deepEqual(await reconcile(), { status: "balanced", differences: [] });
  await assertSameMoney();
});

test("a capture that fails after its settlement reduces the available balance once, and its reversal line in the report changes nothing more", async () => {
  const before = await balance();
  const sold = await sell();
  await closeBatch();
  const settled = await balance();
  assert.equal(settled.pending, before.pending);
  await failCaptures();
  await chargeWith(sold.id, "failed");
  // The report that settled the payment is applied again.
  const after = await until(balance, ({ pending }) => pending === settled.pending);
  assert.deepEqual(after, { ...settled, available: settled.available - 1911 });
  assert.deepEqual(await transfersOf(sold.id), [
    "charge 1999",
    "fee 88",
    "charge_failure 1999",
    "fee_return 88",
    "pending_debit 1911",
    "available_credit 1911",
  ]);
  const { data } = await get(`/balance_transactions?source=${sold.id}`);
  assert.deepEqual(
    data.map(({ status }: { status: string }) => status),
    ["available", "available"],
  );
  assert.deepEqual((await reconcile()).differences, ["state_differs in_transit"]);
  await closeBatch();
  assert.deepEqual(await balance(), after);
  assert.deepEqual(await reconcile(), { status: "balanced", differences: [] });
  await assertSameMoney();
});

test("a report that arrives after the failure, of a batch that closed before the failure, does not release the payment again", async () => {
  const before = await balance();
  const sold = await sell();
  const { number, report } = await closeUnreported();
  await failCaptures();
  await chargeWith(sold.id, "failed");
  assert.deepEqual(await balance(), before);
  await upload(number, report, 1);
  assert.equal((await balance()).pending, before.pending);
  await closeBatch();
  assert.equal((await balance()).pending, before.pending);
  await assertSameMoney();
});

test("if a corrected report omits a settled payment whose capture failed, only the acquirer's fee is returned", async () => {
  const sold = await sell();
  await payUntil("succeeded");
  const { number, report } = await closeUnreported();
  await upload(number, report, 1);
  const settled = await balance();
  await failCaptures();
  await chargeWith(sold.id, "failed");
  const failed = { ...settled, available: settled.available - 1911 };
  await until(balance, (now) => now.pending === failed.pending);
  assert.deepEqual(await balance(), failed);
  const lines = report.split("\n");
  // Changes only the type of the line, so that its net amount and the payout stay the same.
  const without = lines.map((line) =>
    line.includes(sold.id) ? line.replace(",Settled,", ",Balancetransfer,") : line,
  );
  await upload(number, without.join("\n"), 2);
  assert.deepEqual(await balance(), { ...failed, available: failed.available + 20 });
  await upload(number, report, 3);
  assert.deepEqual(await balance(), failed);
});

test("after a late failure, the hour of the charge is counted again, and a search finds the charge by its new status", async () => {
  const sold = await sell();
  shop.clock.advance(5 * hour);
  const count = async () => {
    const now = shop.clock.now();
    const { database } = shop.app;
    for (const { scope, hour } of await listUnmeasured(database.read, firstOpenHour(now)))
      await database.transaction((tx) => measureOn(tx, scope, hour, now));
    for (const { scope, hour } of await listHoursToRecount(database.read, now, 100))
      await database.transaction((tx) => measureAgain(tx, scope, hour, now));
    return (await get(`/metrics/payments?from=${sold.created - 3_600}&interval=hour`)).total;
  };
  const before = await count();
  assert.deepEqual(await listHoursToRecount(shop.app.database.read, shop.clock.now(), 100), []);
  await failCaptures();
  await chargeWith(sold.id, "failed");
  const after = await count();
  assert.deepEqual(
    [after.succeeded, after.failed, after.volume[0]?.amount ?? 0],
    [before.succeeded - 1, before.failed + 1, before.volume[0].amount - 1999],
  );
  const { data } = await get("/charges?status=failed&amount=1999");
  assert.ok(data.some(({ id }: { id: string }) => id === sold.id));
});

test("while the cardholder's bank has an open inquiry, the notification of the failure waits for an operator", async () => {
  const sold = await sell();
  const [payment] = await adyen.payments(`reference=${sold.id}`);
  const { pspReference } = payment as unknown as { pspReference: string };
  const stage = "request_for_information";
  await adyen.control("POST disputes", { payment: pspReference, stage });
  await until(
    () => get(`/disputes?charge_id=${sold.id}`),
    ({ data }) => data.length === 1,
  );
  await failCaptures();
  const found = await until(problems, (list) => list.length > 0);
  assert.match(found[0] ?? "", /has refunds or disputes/);
  assert.equal((await chargeOf(sold.id)).status, "succeeded");
});

test("of a refund and a late failure at the same time, at most one takes the amount", async () => {
  for (let round = 0; round < 8; round++) {
    const sold = await sell();
    const [, refund] = await Promise.all([
      failCaptures(),
      shop.post("/refunds", { charge_id: sold.id, amount: 500 }, { as: key }),
    ]);
    const reviewed = await problems();
    const refunded = refund.status === 201 ? await finalStatusOf(refund.body.id) : null;
    const { status, amount_refunded } = await chargeOf(sold.id);
    if (refunded === null) assert.equal(errorOf(refund)[0], "charge_not_refundable");
    if (status === "failed") assert.ok(refunded === null || refunded === "failed", `${refunded}`);
    else assert.match(reviewed[0] ?? "", /has refunds or disputes/);
    assert.equal(amount_refunded, refunded === "succeeded" ? 500 : 0);
  }
});

/** Waits for the outcome of a refund. While it is pending, its amount already counts as refunded. */
async function finalStatusOf(refund: string): Promise<string> {
  const { status } = await until(
    () => get(`/refunds/${refund}`),
    (read) => read.status !== "pending",
  );
  return status;
}

test("verify detects a failure that is not posted, not announced, or posted with another amount", async () => {
  const { database } = shop.app;
  const violated = async () =>
    (await verify(database)).results
      .filter(({ violations }) => violations > 0)
      .map(({ name }) => name as string);
  assert.deepEqual(await violated(), []);
  for (const [check, damage, repair] of [
    [
      "payments_are_in_ledger",
      fragment`update ledger_transfers set amount = amount + 1 where kind = 'charge_failure'`,
      fragment`update ledger_transfers set amount = amount - 1 where kind = 'charge_failure'`,
    ],
    [
      "charges_are_announced_once",
      fragment`update events set type = 'payment.canceled' where type = 'payment.capture_failed'`,
      fragment`update events set type = 'payment.capture_failed' where type = 'payment.canceled'`,
    ],
  ] as const) {
    await database.autocommit((tx) => tx`${damage}`);
    assert.ok((await violated()).includes(check), check);
    await database.autocommit((tx) => tx`${repair}`);
  }
  assert.deepEqual(await violated(), []);
});
