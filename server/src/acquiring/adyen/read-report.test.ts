import assert from "node:assert/strict";
import { test } from "node:test";
import { readReport } from "./read-report.ts";

const head =
  "Merchant Account,Psp Reference,Merchant Reference,Creation Date,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Batch Number";
const at = "2026-01-31 10:00:00";
const settled = (account = "Shop", batch = "7") =>
  `${account},P1,order,${at},Settled,M1,EUR,,20.00,1,EUR,,19.70,0.30,,,,${batch}`;
const fee = `Shop,,,${at},Fee,Chargeback fee,,,,1,EUR,15.00,,,,,,7`;
const unknown = `Shop,,,${at},ReserveAdjustment,Reserve,,,,1,EUR,1.00,,,,,,7`;
const payout = `Shop,,,${at},MerchantPayout,batch 7,,,,1,EUR,3.70,,,,,,7`;

const read = (...lines: readonly string[]) =>
  readReport(Buffer.from(`${[head, ...lines].join("\n")}\n`), "Shop");

test("the sums of a batch separate payments, fees, other costs, unknown lines and the payout", async () => {
  const report = await read(settled(), fee, unknown, payout);
  assert("sums" in report);
  assert.equal(report.problem, null);
  assert.deepEqual(report.sums, [
    {
      currency: "eur",
      lines: 4,
      transactionsMinor: 1970,
      feesMinor: 30,
      otherMinor: -1500,
      unknownMinor: -100,
      unknownLines: 1,
      paidOutMinor: 370,
    },
  ]);
});

test("a report that was cut off between two lines has a problem that states the difference", async () => {
  const report = await read(settled(), fee, unknown);
  assert("problem" in report);
  assert.equal(report.problem, "The net amounts in EUR add up to 3.70 instead of 0.");
});

test("a report of two batches, of another merchant account or without lines is not used", async () => {
  const problems = await Promise.all([
    read(settled(), settled("Shop", "8")),
    read(settled("Other")),
    read(),
  ]);
  assert.deepEqual(problems, [
    {
      unreadable:
        "The settlement report contains more than one batch. A report must contain exactly one batch.",
    },
    {
      unreadable:
        "The settlement report has lines of the merchant account 'Other'. All lines must belong to 'Shop'.",
    },
    {
      unreadable:
        "The settlement report has no lines, so Florin does not know its batch. Compare it with the report in Adyen's Customer Area.",
    },
  ]);
});
