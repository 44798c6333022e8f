import assert from "node:assert/strict";
import { test } from "node:test";
import { decimalText } from "@florin/contract/minor-units.ts";
import fc from "fast-check";
import {
  type AdyenReportLine,
  batchTypes,
  readSettlementReport,
  SettlementReportUnreadable,
  type TransactionLine,
  transactionTypes,
} from "./settlement-report.ts";

const head =
  "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type," +
  "Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC)," +
  "Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant," +
  "Modification Merchant Reference,Batch Number";

const charge = "ch_01jb0000000000000000000001";
const operation = "op_01jb0000000000000000000002";

type Values = Record<string, string>;

const settled: Values = {
  "Company Account": "TestCompany",
  "Merchant Account": "TestMerchant",
  "Psp Reference": "1813702551707653",
  "Merchant Reference": charge,
  "Payment Method": "visa",
  "Creation Date": "2013-06-03 11:26:49",
  TimeZone: "CET",
  Type: "Settled",
  "Modification Reference": "1713702551795048",
  "Gross Currency": "GBP",
  "Gross Credit (GC)": "5.00",
  "Exchange Rate": "1",
  "Net Currency": "GBP",
  "Net Credit (NC)": "4.88",
  "Markup (NC)": "0.04",
  "Scheme Fees (NC)": "0.01",
  "Interchange (NC)": "0.07",
  "Payment Method Variant": "visaclassic",
  "Modification Merchant Reference": operation,
  "Batch Number": "4",
};

const row = (values: Values) =>
  head
    .split(",")
    .map((name) => values[name] ?? "")
    .join(",");

const report = (...rows: Values[]) => [head, ...rows.map(row)].join("\r\n");

const linesOf = (...pieces: string[]): Promise<AdyenReportLine[]> =>
  Array.fromAsync(readSettlementReport(pieces));

async function lineOf(values: Values): Promise<AdyenReportLine> {
  const lines = await linesOf(report(values));
  assert.equal(lines.length, 1);
  return lines[0] as AdyenReportLine;
}

async function transactionOf(change: Values): Promise<TransactionLine> {
  const line = await lineOf({ ...settled, ...change });
  assert.ok(line.kind === "transaction");
  return line;
}

async function rejects(text: string, message: RegExp): Promise<void> {
  await assert.rejects(linesOf(text), (error) => {
    assert.ok(error instanceof SettlementReportUnreadable);
    assert.match(error.message, message);
    return true;
  });
}

test("a settled payment has its gross and net amount and each fee", async () => {
  assert.deepEqual(await lineOf(settled), {
    kind: "transaction",
    type: "Settled",
    settlementType: "capture",
    gross: { amountMinor: 500, currency: "gbp" },
    feeMinor: 12,
    fees: { commission: null, markup: "0.04", schemeFees: "0.01", interchange: "0.07" },
    line: 2,
    typeText: "Settled",
    merchantAccount: "TestMerchant",
    batchNumber: "4",
    charge,
    operation,
    paymentReference: "1813702551707653",
    modificationReference: "1713702551795048",
    paymentMethod: "visa",
    createdAt: "2013-06-03 11:26:49",
    timeZone: "CET",
    postedAt: new Date("2013-06-03T10:26:49Z"),
    exchangeRate: "1",
    net: { amountMinor: 488, currency: "gbp" },
  });
});

test("the two sample lines of Adyen's documentation are read", async () => {
  // Adyen's page shows only the first 32 columns. The empty fields at the end of each line are shortened here.
  const lines = await linesOf(
    [
      head,
      "TestCompany,TestMerchant,1813702551707653,3vpzf7,visa,2013-06-03 11:26:49,CET,Settled,1713702551795048,GBP,,5.00,1,GBP,,4.88,,0.04,0.01,0.07,visaclassic,,",
      "TestCompany,TestMerchant,1313642467023511,324959451,visa,2013-03-26 22:37:26,CET,Chargeback,2313642467170922,EUR,349.99,,1,EUR,357.49,,7.5,,,,visaclassic,,",
    ].join("\n"),
  );
  assert.deepEqual(
    lines.map(
      (line) =>
        line.kind === "transaction" && [
          line.gross.amountMinor,
          line.net.amountMinor,
          line.feeMinor,
        ],
    ),
    [
      [500, 488, 12],
      [-34_999, -35_749, 750],
    ],
  );
  assert.deepEqual(
    lines.map((line) => line.charge),
    [null, null],
  );
});

test("every type of payment line maps to a type of our settlement file", async () => {
  for (const [type, settlementType] of Object.entries(transactionTypes)) {
    const line = await transactionOf({ Type: type });
    assert.equal(line.type, type);
    assert.equal(line.settlementType, settlementType);
  }
});

test("a fee and a payout are batch lines, and an unsupported type is an unknown line with its net amount", async () => {
  const payout = {
    "Merchant Account": "TestMerchant",
    "Creation Date": "2013-06-11 04:55:40",
    "Net Currency": "EUR",
    "Net Debit (NC)": "1000.00",
  };
  for (const type of [...batchTypes, "ManualCorrected", "SettledBulk", "constructor"]) {
    const line = await lineOf({ ...payout, "Modification Reference": "Payout", Type: type });
    const isKnown = (batchTypes as readonly string[]).includes(type);
    assert.equal(line.kind, isKnown ? "batch" : "unknown");
    assert.equal(line.typeText, type);
    assert.deepEqual(line.net, { amountMinor: -100_000, currency: "eur" });
  }
});

test("a payment of another system in an unsupported currency is an unknown line with its net amount", async () => {
  const line = await lineOf({ ...settled, "Gross Currency": "XTS" });
  assert.equal(line.kind, "unknown");
  assert.deepEqual(line.net, { amountMinor: 488, currency: "gbp" });
});

test("a refund is outgoing, and a returned fee is negative", async () => {
  const line = await transactionOf({
    Type: "Refunded",
    "Gross Credit (GC)": "",
    "Gross Debit (GC)": "5.00",
    "Net Credit (NC)": "",
    "Net Debit (NC)": "4.98",
    "Markup (NC)": "0.05",
    "Scheme Fees (NC)": "",
    "Interchange (NC)": "-0.07",
  });
  assert.equal(line.gross.amountMinor, -500);
  assert.equal(line.net.amountMinor, -498);
  assert.equal(line.feeMinor, -2);
});

test("fees can have more decimals than the currency if their sum does not", async () => {
  const line = await transactionOf({
    "Markup (NC)": "0.0425",
    "Scheme Fees (NC)": "0.0075",
    "Interchange (NC)": "0.07",
  });
  assert.equal(line.feeMinor, 12);
  assert.equal(line.fees.markup, "0.0425");
});

test("amounts in currencies with zero or three decimals are exact", async () => {
  const yen = await transactionOf({
    "Gross Currency": "JPY",
    "Net Currency": "JPY",
    "Gross Credit (GC)": "500",
    "Net Credit (NC)": "488.00",
    "Markup (NC)": "12",
    "Scheme Fees (NC)": "",
    "Interchange (NC)": "",
  });
  assert.deepEqual(yen.gross, { amountMinor: 500, currency: "jpy" });
  assert.equal(yen.net.amountMinor, 488);
  const dinar = await transactionOf({
    "Gross Currency": "KWD",
    "Net Currency": "KWD",
    "Gross Credit (GC)": "5.005",
    "Net Credit (NC)": "4.885",
  });
  assert.equal(dinar.gross.amountMinor, 5005);
});

test("net amounts in ISK, which has decimals at Adyen, are rounded so that they still add up to zero", async () => {
  const krona = {
    ...settled,
    "Gross Currency": "ISK",
    "Net Currency": "ISK",
    "Gross Credit (GC)": "1237.00",
    "Net Credit (NC)": "1219.68",
    "Markup (NC)": "17.32",
    "Scheme Fees (NC)": "",
    "Interchange (NC)": "",
  };
  const payout = {
    ...krona,
    Type: "MerchantPayout",
    "Net Credit (NC)": "",
    "Net Debit (NC)": "3659.04",
  };
  const lines = await linesOf(report(krona, krona, krona, payout));
  assert.deepEqual(
    lines.map((line) => [line.net.amountMinor, line.kind === "transaction" && line.feeMinor]),
    [
      [1220, 17],
      [1219, 18],
      [1220, 17],
      [-3659, false],
    ],
  );
  const half = { "Gross Credit (GC)": "1237.50", "Net Credit (NC)": "1220.18" };
  await rejects(report({ ...krona, ...half }), /more decimals than ISK/);
  await rejects(
    report({ ...krona, "Net Credit (NC)": "1219.685", "Markup (NC)": "17.315" }),
    /more decimals than ISK/,
  );
});

test("gross minus net must equal the fees", async () => {
  await rejects(
    report(settled, { ...settled, "Net Credit (NC)": "4.87" }),
    /^Record 3 .*gross minus net is not the sum of the fees\.$/,
  );
  await rejects(report({ ...settled, "Commission (NC)": "0.01" }), /sum of the fees/);
});

const converted: Values = {
  ...settled,
  "Gross Currency": "USD",
  "Gross Credit (GC)": "100.00",
  "Exchange Rate": "0.8517",
  "Net Credit (NC)": "83.97",
  "Markup (NC)": "1.20",
  "Scheme Fees (NC)": "",
  "Interchange (NC)": "",
};

test("the fees of a payment in another currency are checked with the exchange rate of its line", async () => {
  const line = await transactionOf(converted);
  assert.deepEqual(line.gross, { amountMinor: 10_000, currency: "usd" });
  assert.deepEqual(line.net, { amountMinor: 8397, currency: "gbp" });
  assert.equal(line.feeMinor, 120);
  // The rate is rounded to four digits, so its error is at most 0.00005, which is half a cent of this amount. Amounts
  // are rounded to a cent.
  await transactionOf({ ...converted, "Net Credit (NC)": "83.98" });
  await rejects(report({ ...converted, "Net Credit (NC)": "84.00" }), /exchange rate/);
  for (const rate of ["", "0", "-1", "x"]) {
    await rejects(report({ ...converted, "Exchange Rate": rate }), /'Exchange Rate'/);
  }
});

test("columns are found by name in any order, and additional columns are skipped", async () => {
  const names = ["Advanced", ...head.split(",").reverse()];
  const fields = names.map((name) => settled[name] ?? "");
  const [line] = await linesOf(`${names.join(",")}\n${fields.join(",")}\n`);
  assert.deepEqual(line, await lineOf(settled));
});

test("the currency suffix of a column's name is optional", async () => {
  const [line] = await linesOf(report(settled).replaceAll(/ \((?:GC|NC)\)/g, ""));
  assert.deepEqual(line, await lineOf(settled));
});

test("an empty file or a missing or repeated column is rejected, and a report can have no lines", async () => {
  await rejects("", /empty/);
  await rejects(head.replace("Markup (NC)", "Other"), /the column 'Markup' is missing/);
  await rejects(`${head},Net Debit`, /the column 'Net Debit' is repeated/);
  assert.deepEqual(await linesOf(head), []);
});

test("a line that is cut off or malformed is rejected with its number", async () => {
  const text = report(settled, settled);
  await rejects(text.slice(0, -40), /^Record 3 .*number of fields/);
  const changes: [Values, RegExp][] = [
    [{ Type: "" }, /'Type' is empty/],
    [{ "Merchant Account": "" }, /'Merchant Account' is empty/],
    [{ "Net Currency": "XTS" }, /'Net Currency' is not a supported currency/],
    [{ "Net Credit (NC)": "" }, /no net amount/],
    [{ "Gross Credit (GC)": "" }, /no gross amount/],
    [{ "Gross Credit (GC)": "5,00" }, /number of fields/],
    [{ "Gross Credit (GC)": "5.0.0" }, /'Gross Credit' is not a number/],
    [{ "Gross Credit (GC)": "1e3" }, /'Gross Credit' is not a number/],
    [{ "Gross Credit (GC)": "0.000000001" }, /'Gross Credit' is not a number/],
    [{ "Gross Credit (GC)": "5.005", "Markup (NC)": "0.045" }, /more decimals than GBP/],
    [
      { "Gross Credit (GC)": "100000000000005", "Net Credit (NC)": "100000000000004.88" },
      /: an amount is too large\.$/,
    ],
  ];
  for (const [change, message] of changes)
    await rejects(report({ ...settled, ...change }), message);
});

test("the sum of all net amounts is the same, however the text is cut and whatever the amounts are", async () => {
  const payment = fc.record({
    gross: fc.integer({ min: 0, max: 99_999_999 }),
    markup: fc.integer({ min: -999, max: 9_999 }),
    interchange: fc.integer({ min: -999, max: 9_999 }),
  });
  const money = (amountMinor: number) => decimalText(amountMinor, "gbp");
  await fc.assert(
    fc.asyncProperty(
      fc.array(payment),
      fc.integer({ min: 1, max: 200 }),
      async (payments, size) => {
        const rows = payments.map(({ gross, markup, interchange }) => ({
          ...settled,
          "Gross Credit (GC)": money(gross),
          "Net Credit (NC)": money(gross - markup - interchange),
          "Markup (NC)": money(markup),
          "Scheme Fees (NC)": "",
          "Interchange (NC)": money(interchange),
        }));
        const text = report(...rows);
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        const lines = await linesOf(...pieces);
        const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
        assert.equal(lines.length, payments.length);
        assert.equal(
          sum(lines.map(({ net }) => net.amountMinor)),
          sum(payments.map(({ gross, markup, interchange }) => gross - markup - interchange)),
        );
      },
    ),
    { numRuns: 50 },
  );
});
