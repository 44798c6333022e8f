import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { hmacKey } from "../connection.ts";
import { createPerson } from "../person.ts";
import { slowed } from "../slowness.ts";
import { minute } from "../test-clock.ts";
import { until } from "../until.ts";

const { adyen, shop } = await startAdyenShop();
const { key } = await connectAdyen(shop, adyen);
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const [connection] = (await operator.send("GET", "/operator/v1/connections")).body.data;
const path = `/operator/v1/connections/${connection.id}`;
const merchantAccount = connection.settings.merchant_account;

const reports = async () => (await operator.send("GET", `${path}/reports`)).body.data;
const inReview = async () =>
  (await operator.send("GET", `${path}/notifications?state=review`)).body.data;
const urlOf = (fileName: string) =>
  `${adyen.url}/reports/download/MerchantAccount/${merchantAccount}/${fileName}`;
const closeBatch = () => adyen.control("POST settlements", { merchantAccount });

/** Pays until the acquirer has captured the payment, so that it is in the next batch. */
async function payOne(): Promise<void> {
  const browser = await createCheckout(shop, {}, key);
  await pay(browser);
}

/** Sends a signed notification of a report. The signature does not cover the URL. */
async function notifyReport(fileName: string, reason: string): Promise<void> {
  const signed = [fileName, "", merchantAccount, "", "0", "EUR", "REPORT_AVAILABLE", "true"];
  const hmacSignature = createHmac("sha256", Buffer.from(hmacKey, "hex"))
    .update(signed.join(":"))
    .digest("base64");
  const item = {
    eventCode: "REPORT_AVAILABLE",
    success: "true",
    pspReference: fileName,
    merchantAccountCode: merchantAccount,
    merchantReference: "",
    amount: { value: 0, currency: "EUR" },
    eventDate: new Date().toISOString(),
    reason,
    additionalData: { hmacSignature },
  };
  const sent = await fetch(`${shop.url}${new URL(connection.webhook_url).pathname}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      live: "false",
      notificationItems: [{ NotificationRequestItem: item }],
    }),
  });
  assert.equal(sent.status, 202, await sent.text());
}

test("the report of a closed batch is downloaded, and its sums equal the payout", async () => {
  await payOne();
  await closeBatch();
  const [report] = await until(reports, (found) => found.length === 1);
  assert.deepEqual(
    [report.merchant_account, report.batch, report.problem],
    [merchantAccount, "1", null],
  );
  const { settlements } = await adyen.control<{ settlements: { payouts: object }[] }>(
    "GET settlements",
  );
  const [sums] = report.sums;
  assert.deepEqual(settlements[0]?.payouts, { USD: sums.paid_out });
  assert.deepEqual([sums.currency, sums.transactions + sums.fees], ["usd", 1999]);
  assert.deepEqual([sums.lines, sums.unknown_lines], [2, 0]);
});

test("a repeated notification of the same report changes nothing", async () => {
  const appliedReports = () => until(reports, ([report]) => report.applied_at !== null);
  const before = await appliedReports();
  const { file_name } = before[0];
  await notifyReport(file_name, urlOf(file_name));
  await until(
    async () => (await operator.send("GET", `${path}/health`)).body.notifications,
    ({ pending }) => pending === 0,
  );
  // Applying the report a second time posts nothing.
  const after = await appliedReports();
  const { applied_at } = before[0];
  assert.deepEqual([[{ ...after[0], applied_at }], await inReview()], [before, []]);
});

test("a download that fails is repeated until the report arrives", async () => {
  await payOne();
  await adyen.fault("reports", "html_502");
  await closeBatch();
  await until(
    async () => {
      shop.clock.advance(minute);
      return reports();
    },
    (found) => found.length === 2,
  );
});

test("a slow download does not delay the outcome of a refund", async () => {
  await payOne();
  const { data } = (await shop.get("/charges?limit=1", { as: key })).body;
  const before = (await reports()).length;
  await adyen.fault("reports", "slow", { delayMs: slowed(6_000) });
  await closeBatch();
  // The fault ends when the download begins.
  const faults = async () => (await adyen.control<{ faults: object[] }>("GET faults")).faults;
  await until(faults, ({ length }) => length === 0);
  const body = { charge_id: data[0].id, amount: 500 };
  const refund = (await shop.post("/refunds", body, { as: key })).body;
  await until(
    async () => (await shop.get(`/refunds/${refund.id}`, { as: key })).body.status,
    (status) => status === "succeeded",
    slowed(3_000),
  );
  assert.equal((await reports()).length, before, "the report has arrived already");
  await until(reports, (found) => found.length === before + 1, slowed(20_000));
});

test("the API key is not sent to a URL on another host, and an operator sees the notification", async () => {
  let requests = 0;
  const attacker = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
  after(() => attacker.close());
  const { port } = attacker.address() as AddressInfo;
  await notifyReport(
    "settlement_detail_report_batch_9.csv",
    `http://127.0.0.1:${port}/settlement_detail_report_batch_9.csv`,
  );
  const [notification] = await until(inReview, (found) => found.length === 1);
  assert.match(notification.problem, /not on Adyen's host/);
  assert.equal(requests, 0);
});

test("a URL of a file other than the signed one is not downloaded", async () => {
  const before = (await reports()).length;
  await notifyReport("settlement_detail_report_batch_9.csv", urlOf("another_report.csv"));
  const problem = /^The URL is not that of the report in the notification/;
  await until(inReview, (found) =>
    found.some((one: { problem: string }) => problem.test(one.problem)),
  );
  assert.equal((await reports()).length, before);
});

test("a corrected report replaces the stored lines of its batch", async () => {
  const [{ file_name, batch }] = await reports();
  await shop.app.database.autocommit(
    (tx) => tx`update settlement_reports set sha256 = 'another file' where batch = ${batch}`,
  );
  await notifyReport(file_name, urlOf(file_name));
  const [corrected] = await until(
    reports,
    ([one]) => one.revision === 2 && one.applied_at !== null,
  );
  assert.match(corrected.sha256, /^[0-9a-f]{64}$/);
});

test("a download that Adyen rejects goes to review immediately", async () => {
  await payOne();
  await adyen.control(`PUT accounts/${merchantAccount}`, { apiKey: "another key" });
  await closeBatch();
  const rejected = (one: { problem: string }) => /returned status 401/.test(one.problem);
  await until(inReview, (found) => found.some(rejected));
});
