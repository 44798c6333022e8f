import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "./adyen-sdk.fixture.ts";
import { officialDocument } from "./official-document.fixture.ts";
import {
  account,
  hold,
  modification,
  type RunningFake,
  runFake,
  sale,
} from "./running-fake.fixture.ts";

const webhooks = officialDocument("Webhooks-v1.json");

type Line = Record<string, string>;

async function download(url: string, apiKey = account.apiKey): Promise<Response> {
  return await fetch(url, { headers: { "x-api-key": apiKey } });
}

/** Closes a batch and returns the lines of its report. No field of these tests contains a comma. */
async function settle(fake: RunningFake): Promise<{ settlement: Json; lines: Line[] }> {
  const { settlement } = await fake.control("POST settlements", {});
  const url = `${fake.url}/reports/download/MerchantAccount/${account.merchantAccount}/${settlement.fileName}`;
  const response = await download(url);
  assert.equal(response.status, 200);
  const [head = "", ...records] = (await response.text()).trimEnd().split("\n");
  const names = head.split(",");
  const lines = records.map((record) => {
    const fields = record.split(",");
    assert.equal(fields.length, names.length);
    return Object.fromEntries(names.map((name, index) => [name, fields[index] ?? ""]));
  });
  return { settlement, lines };
}

/** Returns credit less debit in hundredths. */
function signed(line: Line, kind: "Gross" | "Net"): number {
  const suffix = kind === "Gross" ? "(GC)" : "(NC)";
  const text = (side: string) => Number(line[`${kind} ${side} ${suffix}`] || "0") * 100;
  return Math.round(text("Credit") - text("Debit"));
}

function feesOf(line: Line): number {
  const names = ["Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)"];
  return Math.round(names.reduce((sum, name) => sum + Number(line[name] || "0") * 100, 0));
}

test("a batch reports each movement, and its lines add up to zero with the payout", async (t) => {
  const fake = await runFake(t);
  const { sdk, receiver, control } = fake;
  const sold = await sdk.payments(sale("ch_1", { amount: { currency: "EUR", value: 10_000 } }));
  await sdk.refund(sold.pspReference, modification("op_1", 1500));
  const held = await sdk.payments(hold("ch_2"));
  await sdk.capture(held.pspReference, modification("op_2", 700));
  await receiver.item("CAPTURE");
  await receiver.item("REFUND");
  const { dispute } = await control("POST disputes", { payment: held.pspReference, value: 700 });
  const { settlement, lines } = await settle(fake);
  const found = lines.map((line) => [
    line.Type,
    line["Psp Reference"],
    line["Merchant Reference"],
    line["Modification Merchant Reference"],
    signed(line, "Gross"),
  ]);
  const byTypeAndReference = found
    .slice(0, 4)
    .sort((a, b) => (`${a[0]} ${a[2]}` < `${b[0]} ${b[2]}` ? -1 : 1));
  assert.deepEqual(byTypeAndReference, [
    ["Chargeback", held.pspReference, "ch_2", "", -700],
    ["Refunded", sold.pspReference, "ch_1", "op_1", -1500],
    ["Settled", sold.pspReference, "ch_1", "", 10_000],
    ["Settled", held.pspReference, "ch_2", "op_2", 700],
  ]);
  assert.deepEqual(
    lines.slice(4).map((line) => line.Type),
    ["Fee", "MerchantPayout"],
  );
  assert.equal(lines[4]?.["Modification Reference"], `Chargeback fee ${dispute.pspReference}`);
  for (const line of lines.slice(0, 4)) {
    assert.equal(signed(line, "Gross") - signed(line, "Net"), feesOf(line));
  }
  assert.equal(
    lines.reduce((sum, line) => sum + signed(line, "Net"), 0),
    0,
  );
  assert.equal(-signed(lines.at(-1) as Line, "Net"), settlement.payouts.EUR);

  const { balances, isBalanced } = await control("GET ledger");
  assert.equal(isBalanced, true);
  const balance = (name: string) => balances.find((entry: Json) => entry.account === name);
  assert.equal(balance("payable").credit, balance("payable").debit);
  assert.equal(balance("bank").credit, settlement.payouts.EUR);
});

test("REPORT_AVAILABLE names the URL, which needs the API key of the merchant account", async (t) => {
  const fake = await runFake(t);
  await fake.control("PUT accounts/Other", { apiKey: "other key" });
  await fake.sdk.payments(sale("ch_1"));
  await fake.control("POST settlements", {});
  const item = await fake.receiver.item("REPORT_AVAILABLE");
  const body = fake.receiver.bodies[fake.receiver.items.indexOf(item)];
  if (typeof webhooks !== "string")
    webhooks.assertValid("ReportAvailableNotificationRequest", body);
  assert.equal(item.pspReference, "settlement_detail_report_batch_1.csv");
  assert.equal((await download(item.reason)).status, 200);
  assert.equal((await download(item.reason, "other key")).status, 404);
  assert.equal((await download(item.reason, "unknown key")).status, 401);
  await fake.control("POST faults", { endpoint: "reports", fault: "cut_in_body" });
  await assert.rejects(download(item.reason).then((response) => response.text()));
});

test("a negative batch is carried over to the next one", async (t) => {
  const fake = await runFake(t);
  const { pspReference } = await fake.sdk.payments(sale("ch_1"));
  await settle(fake);
  await fake.sdk.refund(pspReference, modification("op_1", 1000));
  await fake.receiver.item("REFUND");
  const negative = await settle(fake);
  assert.deepEqual(negative.settlement.payouts, {});
  assert.deepEqual(
    negative.lines.map((line) => [line.Type, signed(line, "Net")]),
    [
      ["Refunded", -1000],
      ["Balancetransfer", 1000],
    ],
  );
  await fake.sdk.payments(sale("ch_2", { amount: { currency: "EUR", value: 5000 } }));
  const next = await settle(fake);
  assert.deepEqual(
    next.lines.map((line) => [line.Type, signed(line, "Net")]),
    [
      ["Settled", 4950],
      ["Balancetransfer", -1000],
      ["MerchantPayout", -3950],
    ],
  );
});

test("another currency is converted with the rate of the line", async (t) => {
  const fake = await runFake(t, { settlementCurrency: "EUR", exchangeRates: { JPY: "0.00612" } });
  await fake.sdk.payments(sale("ch_1", { amount: { currency: "JPY", value: 12_345 } }));
  const { lines, settlement } = await settle(fake);
  const [settled] = lines as [Line];
  assert.equal(settled["Gross Credit (GC)"], "12345");
  assert.equal(settled["Exchange Rate"], "0.00612");
  assert.equal(settled["Net Currency"], "EUR");
  // 12345 JPY × 0.00612 = 75.55 EUR.
  assert.equal(signed(settled, "Net") + feesOf(settled), 7555);
  assert.deepEqual(Object.keys(settlement.payouts), ["EUR"]);
  const { balances, isBalanced } = await fake.control("GET ledger");
  assert.equal(isBalanced, true);
  for (const balance of balances.filter((entry: Json) => entry.account === "payable")) {
    assert.equal(balance.credit, balance.debit);
  }
});

test("blended pricing reports one commission", async (t) => {
  const fake = await runFake(t, { pricing: "blended" });
  await fake.sdk.payments(sale("ch_1"));
  const [settled] = (await settle(fake)).lines as [Line];
  assert.deepEqual([settled["Commission (NC)"], settled["Interchange (NC)"]], ["0.14", ""]);
});

test("a capture that failed before its settlement is in no report until it is repeated", async (t) => {
  const fake = await runFake(t);
  const fault = { endpoint: "captures", fault: "late_capture_failure", delayMs: 0, times: 2 };
  await fake.control("POST faults", fault);
  const captures: string[] = [];
  for (const number of [1, 2]) {
    const { pspReference } = await fake.sdk.payments(hold(`ch_${number}`));
    await fake.sdk.capture(pspReference, modification(`op_${number}`, 1000));
    const failed = await fake.receiver.item("CAPTURE_FAILED", `op_${number}`);
    captures.push(failed.pspReference);
  }
  await fake.control(`POST modifications/${captures[1]}/recapture`);
  const found = async () =>
    (await settle(fake)).lines
      .filter((line) => line["Psp Reference"] !== "")
      .map((line) => [line.Type, line["Modification Merchant Reference"]]);
  assert.deepEqual(await found(), [["Settled", "op_2"]]);
  await fake.control(`POST modifications/${captures[0]}/recapture`);
  assert.deepEqual(await found(), [["Settled", "op_1"]]);
});
