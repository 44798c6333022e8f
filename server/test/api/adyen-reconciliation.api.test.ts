import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { listArchives, readArchive } from "../../src/admin/retention/archive-files.ts";
import { archivePayments } from "../../src/admin/retention/archive-payments.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { firstOpenHour, measureOn } from "../../src/insights/metrics/hourly-metrics.ts";
import { listUnmeasured } from "../../src/insights/metrics/metrics.sql.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { updateCheckpoints } from "../../src/payments/balance/checkpoint.jobs.ts";
import { listUnreconciled } from "../../src/reconciliation/reconciliation.sql.ts";
import { connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { ledgerOwed } from "../adyen-ledgers.ts";
import { createCheckout } from "../checkout.ts";
import { apiKey } from "../connection.ts";
import { createPerson } from "../person.ts";
import { day, minute, skipEndOfDay } from "../test-clock.ts";
import { until } from "../until.ts";

/**
 * Two merchants share one merchant account at Adyen, so each report of this account has lines of both merchants. The
 * database is not checked at the end, because a test archives payments whose events have not yet expired.
 */
const { adyen, shop } = await startAdyenShop({}, (started) => started.close());
skipEndOfDay(shop.clock);
const one = await connectAdyen(shop, adyen);
/** Signs in as a new operator, because the tests advance the clock beyond the end of a session. */
const signInOperator = () => createPerson(shop, { operator: true, secondFactor: true });
const operator = await signInOperator();
const [connection] = (await operator.send("GET", "/operator/v1/connections")).body.data;
const other = await assignAnother();
const path = `/operator/v1/connections/${connection.id}`;
const merchantAccount = connection.settings.merchant_account;

async function assignAnother(by = operator) {
  const { account } = await shop.createMerchant({ status: "approved" });
  const assigned = await by.send("POST", "/operator/v1/assignments", {
    account,
    connection: connection.id,
    merchant_account: connection.settings.merchant_account,
    mcc: "5941",
    reason: "Agreed with the merchant.",
  });
  assert.equal(assigned.status, 201, assigned.text);
  return { account, key: (await shop.issueKey(account, true)).secret };
}

const today = () => shop.clock.now().toISOString().slice(0, 10);
const get = async (as: SecretKey, at: string) => (await shop.get(at, { as })).body;
const reconcile = async (as: SecretKey, on: string) => {
  const reply = await shop.post("/reconciliations", { day: on }, { as });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
const differences = async (as: SecretKey) => {
  const { data } = await get(as, "/reconciliation_differences?limit=100");
  return data.map(({ kind, status }: { kind: string; status: string }) => `${kind} ${status}`);
};

/** Pays until Adyen has captured the payment. Returns the charge. */
async function charge(as: SecretKey, params: object = {}) {
  const browser = await createCheckout(shop, params, as);
  await pay(browser);
  const { data } = await until(
    () => get(as, `/charges?checkout_session_id=${browser.session}`),
    (list) => list.data[0]?.status === "succeeded",
  );
  return data[0];
}

async function refund(as: SecretKey, chargeId: string, amount: number): Promise<void> {
  const { id } = (await shop.post("/refunds", { charge_id: chargeId, amount }, { as })).body;
  await until(
    () => get(as, `/refunds/${id}`),
    ({ status }) => status === "succeeded",
  );
}

/** Opens a dispute of the charge. Returns its reference at Adyen. */
async function dispute(as: SecretKey, chargeId: string): Promise<string> {
  const [payment] = await adyen.payments(`reference=${chargeId}`);
  const { pspReference } = payment as unknown as { pspReference: string };
  const opened = await adyen.control<{ dispute: { pspReference: string } }>("POST disputes", {
    payment: pspReference,
  });
  await until(
    () => get(as, `/disputes?charge_id=${chargeId}`),
    ({ data }) => data.length === 1,
  );
  return opened.dispute.pspReference;
}

/** Closes the batch at Adyen, and waits until the service has applied its report. Returns the report. */
async function closeBatch() {
  const asOperator = await signInOperator();
  const reports = async () => (await asOperator.send("GET", `${path}/reports`)).body.data;
  const before = (await reports()).length;
  await adyen.control("POST settlements", { merchantAccount });
  const [newest] = await until(
    reports,
    (list) => list.length > before && list[0].applied_at !== null,
  );
  assert.equal(newest.problem, null);
  return newest;
}

/** Sends a request to Adyen directly instead of through the service. */
async function sendToAdyen(endpoint: string, body: object): Promise<void> {
  const response = await fetch(`${adyen.url}/v72${endpoint}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({ merchantAccount, ...body }),
  });
  assert.ok(response.ok, await response.text());
}

test("two merchants that share a report are each balanced by their own lines in it", async () => {
  const first = await charge(one.key);
  await refund(one.key, first.id, 500);
  await dispute(one.key, (await charge(one.key)).id);
  await charge(other.key, { currency: "eur" });
  const { sums } = await closeBatch();
  const on = today();
  shop.clock.advance(day);
  const settled = await Promise.all(
    [one, other].map(async ({ key }) => {
      const { status, settled } = await reconcile(key, on);
      assert.deepEqual([status, await differences(key)], ["balanced", []]);
      return settled;
    }),
  );
  const [[usd], [eur]] = settled;
  assert.deepEqual(
    [usd.currency, usd.lines, usd.captured, usd.refunded, usd.charged_back],
    ["usd", 4, 2 * 1999, -500, -1999],
  );
  assert.deepEqual([eur.currency, eur.lines, eur.captured], ["eur", 1, 1999]);
  // The amount at Adyen is the sum of the merchants' amounts: no line is lost, and no line is posted for two merchants.
  for (const { currency, net, fees } of [usd, eur]) {
    const batch = sums.find((sum: { currency: string }) => sum.currency === currency);
    assert.deepEqual([net, fees], [batch.transactions, batch.fees], currency);
  }
});

test("a report in ISK, whose fees have decimals only at Adyen, is posted and balanced", async () => {
  const { id } = await charge(one.key, { currency: "isk", amount: 1237 });
  await refund(one.key, id, 1);
  await charge(other.key, { currency: "isk", amount: 1237 });
  const { sums } = await closeBatch();
  const [{ currency, paid_out }] = sums;
  // The fee of each payment is 12.37 ISK.
  assert.deepEqual([currency, paid_out], ["isk", 2448]);
  const on = today();
  shop.clock.advance(day);
  for (const { key } of [one, other]) assert.equal((await reconcile(key, on)).status, "balanced");
  const owed = await ledgerOwed(shop.app.database.read, [one.account, other.account]);
  assert.equal(owed.ISK, 0);
});

test("a dispute with a second chargeback is balanced with the lines of Adyen's report", async () => {
  const { id } = await charge(one.key);
  const reference = await dispute(one.key, id);
  for (const eventCode of ["CHARGEBACK_REVERSED", "SECOND_CHARGEBACK"]) {
    await adyen.control(`POST disputes/${reference}/events`, { eventCode });
  }
  await until(
    () => get(one.key, `/disputes?charge_id=${id}`),
    ({ data }) => data.length === 2 && data[0].status === "lost" && data[1].status === "won",
  );
  await closeBatch();
  const on = today();
  shop.clock.advance(day);
  const { status, settled } = await reconcile(one.key, on);
  assert.deepEqual([status, await differences(one.key)], ["balanced", []]);
  const [{ captured, charged_back }] = settled;
  assert.deepEqual([captured, charged_back], [1999, -1999]);
});

test("a repeated notification of a report adds no line", async () => {
  const before = await countLines();
  const { notifications } = await adyen.control<{ notifications: { id: string }[] }>(
    "GET notifications?eventCode=REPORT_AVAILABLE",
  );
  for (const { id } of notifications) await adyen.control(`POST notifications/${id}/send`);
  const asOperator = await signInOperator();
  await until(
    async () => (await asOperator.send("GET", `${path}/health`)).body.notifications,
    ({ pending }) => pending === 0,
  );
  assert.deepEqual(await countLines(), before);
});

async function countLines(): Promise<object[]> {
  return shop.app.database.read`
    select account_id, count(*)::int as lines from settlement_report_lines group by account_id order by account_id
  `;
}

test("an unsettled payment is in transit until Adyen's time for the settlement has passed, and is then missing", async () => {
  const { id } = await charge(other.key);
  const on = today();
  shop.clock.advance(2 * minute);
  assert.equal((await reconcile(other.key, on)).status, "in_transit");
  shop.clock.advance(8 * day);
  const late = await reconcile(other.key, today());
  assert.deepEqual(
    [late.status, await differences(other.key)],
    ["differences", ["missing_at_acquirer open"]],
  );
  await closeBatch();
  shop.clock.advance(2 * minute);
  assert.equal((await reconcile(other.key, today())).status, "balanced");
  assert.deepEqual(await differences(other.key), ["missing_at_acquirer closed"], id);
});

test("a refund that was made in Adyen's console is reported as a difference to the charge's merchant", async () => {
  const { id } = await charge(one.key);
  const [payment] = await adyen.payments(`reference=${id}`);
  const { pspReference } = payment as unknown as { pspReference: string };
  await sendToAdyen(`/payments/${pspReference}/refunds`, {
    amount: { currency: "USD", value: 700 },
    reference: "console refund",
  });
  await until(
    () => adyen.paymentOf(id),
    ({ refundedValue }) => refundedValue === 700,
  );
  await closeBatch();
  shop.clock.advance(2 * minute);
  assert.equal((await reconcile(one.key, today())).status, "differences");
  assert.deepEqual(await differences(one.key), ["missing_here open"]);
  assert.deepEqual(await differences(other.key), ["missing_at_acquirer closed"]);
});

test("a payment at Adyen that belongs to no merchant is shown to the operator, and the other lines still balance", async () => {
  const { id } = await charge(other.key);
  await sendToAdyen("/payments", {
    amount: { currency: "USD", value: 300 },
    reference: "an order of another system",
    returnUrl: "https://shop.example/",
    paymentMethod: {
      type: "scheme",
      number: "4111111111111111",
      expiryMonth: "03",
      expiryYear: "2030",
      cvc: "737",
      holderName: "Ada Field",
    },
  });
  const { unmatched_lines, unmatched } = await closeBatch();
  assert.deepEqual([unmatched_lines, unmatched[0].type, unmatched[0].amount], [1, "Settled", 300]);
  shop.clock.advance(2 * minute);
  assert.equal((await reconcile(other.key, today())).status, "balanced", id);
});

test("every day of live mode is reconciled automatically, even for a merchant whose charges were lost in a restore", async () => {
  const on = today();
  await charge(other.key);
  await closeBatch();
  const { account } = await assignAnother(await signInOperator());
  const due = await listUnreconciled(
    shop.app.database.read,
    { day: on, again: null, after: null },
    100,
  );
  assert.ok(due.some((scope) => scope.account === account && scope.livemode));
  shop.clock.advance(day);
  await until(
    async () => {
      shop.clock.advance(minute);
      return get(other.key, "/reconciliations?limit=100");
    },
    ({ data }) =>
      data.some(
        (made: { day: string; status: string }) => made.day === on && made.status === "balanced",
      ),
  );
});

test("400: an account that never had an acquirer in live mode has no settlement to reconcile", async () => {
  const { account } = await shop.createMerchant({ status: "approved" });
  const { secret } = await shop.issueKey(account, true);
  const { body } = await shop.post("/reconciliations", { day: today() }, { as: secret });
  assert.equal(body.error.code, "connector_not_configured");
});

test("live payments are archived after they were settled, and neither a repeated nor a corrected report changes the balance", async () => {
  const merchant = await assignAnother(await signInOperator());
  const as = merchant.key;
  const settled = await charge(as);
  await refund(as, settled.id, 300);
  await closeBatch();
  const { settlements } = await adyen.control<{
    settlements: { number: number; report: string }[];
  }>("GET settlements");
  const { number, report } = settlements.at(-1) as (typeof settlements)[0];
  const batch = String(number);
  const unsettled = await charge(as);
  shop.clock.advance(600 * day);
  const { database } = shop.app;
  // Does the work of the jobs: deletes the idempotency keys, which expire after a day, counts the payments, and updates
  // the checkpoints.
  await database.transaction((tx) => tx`delete from idempotency_keys`);
  const now = shop.clock.now();
  for (const { scope, hour } of await listUnmeasured(database.read, firstOpenHour(now))) {
    await database.transaction((tx) => measureOn(tx, scope, hour, now));
  }
  while (!(await updateCheckpoints(database)));
  const balance = await get(as, "/balance");
  const directory = await mkdtemp(join(tmpdir(), "florin-archive-"));
  try {
    const deps = { database, clock: shop.clock };
    await archivePayments(deps, { directory, afterDays: 550 });
    const archives = (await listArchives(directory)).filter((path) =>
      path.includes(merchant.account),
    );
    const { manifest } = await readArchive(archives[0] ?? "");
    assert.deepEqual(
      [archives.length, manifest.livemode, manifest.charges.count, manifest.charges.first],
      [1, true, 1, settled.id],
    );
    const rowsOf = (table: string) => manifest.files.find((file) => file.table === table)?.rows;
    assert.deepEqual([rowsOf("operations"), rowsOf("settlement_report_lines")], [1, 2]);
  } finally {
    await rm(directory, { recursive: true });
  }
  const { data } = await get(as, "/charges");
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    [unsettled.id],
  );
  assert.deepEqual(await get(as, "/balance"), balance);
  const { results } = await verify(database);
  const ledger = [
    "checkpoints_match_ledger",
    "balances_follow_objects",
    "payments_are_in_ledger",
    "ledger_payments_succeeded",
    "refunds_are_in_ledger",
    "settlements_are_in_ledger",
  ];
  assert.deepEqual(
    results.filter(({ name }) => ledger.includes(name)).flatMap(({ sentences }) => sentences),
    [],
  );

  // The acquirer can send an old report again. The lines of archived payments are no longer stored.
  const asOperator = await signInOperator();
  const upload = (csv: string) =>
    asOperator.send("POST", `${path}/reports?file_name=old.csv`, csv, {
      "content-type": "text/csv",
    });
  const repeated = await upload(report);
  assert.deepEqual([repeated.status, repeated.body.result], [201, "repeated"], repeated.text);
  await until(
    async () => (await asOperator.send("GET", `${path}/reports`)).body.data,
    (list) => list[0].applied_at !== null,
  );
  const corrected = await upload(report.replaceAll(",visa,", ",mc,"));
  assert.equal(corrected.status, 400, corrected.text);
  assert.deepEqual(await get(as, "/balance"), balance);

  // Simulates the deletion of the report's notification, 400 days after the report was applied. Changes the hash of the
  // stored report, so that the report at Adyen counts as a correction.
  await database.transaction(async (tx) => {
    await tx`delete from acquirer_notifications where event_code = 'REPORT_AVAILABLE'`;
    await tx`update settlement_reports set sha256 = ${"0".repeat(64)} where batch = ${batch}`;
  });
  const { notifications } = await adyen.control<{ notifications: { id: string }[] }>(
    "GET notifications?eventCode=REPORT_AVAILABLE",
  );
  await adyen.control(`POST notifications/${notifications.at(-1)?.id}/send`);
  const problem = `The report corrects batch ${batch}, which contains archived payments.`;
  await until(
    async () => (await asOperator.send("GET", `${path}/notifications?state=review`)).body.data,
    (list) => list.some((notification: { problem: string }) => notification.problem === problem),
  );
  assert.deepEqual(await get(as, "/balance"), balance);
});
