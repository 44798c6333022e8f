import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestDatabase } from "../../../test/database.ts";
import { measureBlockMs } from "../../../test/event-loop-block.ts";
import { slowed } from "../../../test/slowness.ts";
import { dose } from "../../../test/test-size.ts";
import { newId } from "../../core/ids.ts";
import { connectDatabase } from "../../platform/database/database.ts";
import { readReport } from "../adyen/read-report.ts";
import { maxReportBytes, type SettlementReport } from "../settlement-report.ts";
import { listSettlementReports } from "./received-report.sql.ts";
import {
  listDueReports,
  markReportApplied,
  recordReportFailure,
  storeSettlementReport,
  type UnappliedReport,
} from "./settlement-report.sql.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 2, onIdleError: () => {} });
after(async () => {
  await database.close();
  await testDatabase.drop();
});

/**
 * The maximum time for which a report may block the event loop. It includes garbage collection. The usual time is about
 * 20 ms.
 */
const maxReportBlockMs = slowed(40);

const head =
  "Merchant Account,Psp Reference,Merchant Reference,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Batch Number,Modification Merchant Reference,Payment Method,Company Account\n";

const reportBytes = dose("bytes", { short: maxReportBytes / 4, long: maxReportBytes });

/** Returns a report of slightly less than `reportBytes`, with its number of lines. */
function largeReport(): { file: Buffer; lines: number } {
  const now = new Date();
  const rows = [head];
  let size = head.length;
  let lines = 0;
  for (; size < reportBytes - 1_000; lines++) {
    const id = newId("ch", now);
    const row = `FieldwareECOM,8835${lines}ABCDEFGH,${id},2026-01-31 10:00:00,CET,Settled,8836${lines}ABCDEFGH,EUR,,20.00,1,EUR,,19.70,,0.12,0.03,0.15,7,${id.replace("ch_", "op_")},visa,FieldwareInternationalHoldingsAndSubsidiariesGroup_CompanyAccount_WithALongName\n`;
    rows.push(row);
    size += row.length;
  }
  const payout = ((lines * 1970) / 100).toFixed(2);
  rows.push(
    `FieldwareECOM,,,2026-01-31 10:00:00,CET,MerchantPayout,batch 7,,,,1,EUR,${payout},,,,,,7,,,\n`,
  );
  return { file: Buffer.from(rows.join("")), lines: lines + 1 };
}

test(`a report of ${reportBytes} bytes is parsed and stored without blocking the event loop`, async (t) => {
  const { file, lines } = largeReport();
  // A first report of one row compiles the code, which happens once per process and would count as part of a slice.
  await readReport(file.subarray(0, file.indexOf("\n", head.length) + 1), null);
  let report: SettlementReport | null = null;
  const parseBlockMs = await measureBlockMs(async () => {
    const read = await readReport(file, null);
    assert("lines" in read);
    report = read;
  });
  const stored = report as unknown as SettlementReport;
  assert.deepEqual([stored.lines.length, stored.problem], [lines, null]);
  const connection = newId("con", new Date());
  const received = { fileName: "report.csv", at: new Date() };
  const storeBlockMs = await measureBlockMs(() =>
    database.transaction((tx) => storeSettlementReport(tx, connection, stored, received)),
  );
  const [listed] = await listSettlementReports(database.read, connection);
  assert.equal(listed?.lineCount, lines);
  const worst = `parsing ${parseBlockMs.toFixed(1)} ms, storing ${storeBlockMs.toFixed(1)} ms`;
  t.diagnostic(`${lines} lines: ${worst}`);
  assert.ok(Math.max(parseBlockMs, storeBlockMs) <= maxReportBlockMs, worst);
});

test("a report that becomes due again while it is applied is applied once more", async () => {
  const row =
    "FieldwareECOM,,,2026-01-31 10:00:00,CET,MerchantPayout,batch 8,,,,1,EUR,0.00,,,,,,8,,,\n";
  const report = await readReport(Buffer.from(`${head}${row}`), null);
  assert("lines" in report);
  const connection = newId("con", new Date());
  const at = new Date();
  const store = () =>
    database.transaction((tx) =>
      storeSettlementReport(tx, connection, report, { fileName: "report.csv", at }),
    );
  const due = async () =>
    (await listDueReports(database.read, new Date(at.getTime() + 1_000), 100)).find(
      (one) => one.connection === connection,
    );
  const markApplied = (one: UnappliedReport | undefined) => {
    assert(one);
    return database.autocommit((tx) => markReportApplied(tx, one, { warning: null, now: at }));
  };
  assert.equal(await store(), "stored");
  const first = await due();
  assert.equal(await store(), "repeated");
  await markApplied(first);
  const second = await due();
  await markApplied(second);
  assert.equal(await due(), undefined);

  // The attempt after a failure can begin at the same time as the report becomes due again.
  assert.equal(await store(), "repeated");
  const third = await due();
  assert(third);
  const failure = { failure: "The database is unavailable.", dueAt: at };
  assert(await database.autocommit((tx) => recordReportFailure(tx, third, failure)));
  const retried = await due();
  assert.equal(retried?.failures, 1);
  assert.equal(await store(), "repeated");
  await markApplied(retried);
  assert.notEqual(await due(), undefined);
});
