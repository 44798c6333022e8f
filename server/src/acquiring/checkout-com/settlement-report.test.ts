import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { measureBlockMs } from "../../../test/event-loop-block.ts";
import { slowed } from "../../../test/slowness.ts";
import { readSettlementReport } from "./settlement-report.ts";

const charge = "ch_01jbqw3e4r5t6y7z8x9cvbnmas";
const operation = "op_01jbqw3e4r5t6y7z8x9cvbnmas";
const channel = "pc_fieldwarefieldwarefieldware";

const head =
  "Processing Channel ID,Action Type,Action ID,Payment ID,Processed On,Processing Currency,FX Rate Applied,Holding Currency,Payout ID,Reference,Payment Method,Breakdown Type,Processing Currency Amount,Holding Currency Amount";

type Change = Partial<Record<"type" | "action" | "reference" | "breakdown", string>> & {
  readonly amount: string;
  readonly processing?: readonly [currency: string, amount: string, rate: string];
  readonly payout?: string;
};

function row(change: Change): string {
  const { type = "Capture", action = "act_1", reference = charge, breakdown = "Capture" } = change;
  const [currency, amount, rate] = change.processing ?? ["GBP", change.amount, ""];
  const fields = [channel, type, action, "pay_1", "2026-11-26T18:07:06.844", currency, rate, "GBP"];
  const rest = [change.payout ?? "P1", reference, "VISA", breakdown, amount, change.amount];
  return [...fields, ...rest].join(",");
}

const file = (...rows: string[]) => `${[head, ...rows].join("\n")}\n`;

async function read(...rows: string[]) {
  const report = await readSettlementReport([file(...rows)], null);
  assert.ok(!("unreadable" in report), JSON.stringify(report));
  return report;
}

test("the rows of an action are one line with its fees by kind", async () => {
  const { lines, sums, batch, merchantAccount, problem } = await read(
    row({ amount: "50.00" }),
    row({ breakdown: "Interchange Fixed Fee", amount: "-0.15" }),
    row({ breakdown: "Scheme Variable Fee", amount: "-0.05" }),
    row({ breakdown: "Premium Variable Fee", amount: "-0.25" }),
    row({ breakdown: "Premium Fixed Fee", amount: "-0.05" }),
  );
  assert.deepEqual([batch, merchantAccount, problem], ["P1", channel, null]);
  const [capture, payout] = lines;
  assert.ok(capture?.kind === "transaction");
  assert.deepEqual(
    [capture.settlementType, capture.charge, capture.gross.amountMinor, capture.feeMinor],
    ["capture", charge, 5000, 50],
  );
  assert.deepEqual(capture.fees, {
    commission: "0.3",
    markup: null,
    schemeFees: "0.05",
    interchange: "0.15",
  });
  assert.deepEqual([payout?.typeText, payout?.net.amountMinor], ["MerchantPayout", -4950]);
  assert.deepEqual(sums, [
    {
      currency: "gbp",
      lines: 2,
      transactionsMinor: 4950,
      feesMinor: 50,
      otherMinor: 0,
      unknownMinor: 0,
      unknownLines: 0,
      paidOutMinor: 4950,
    },
  ]);
});

test("each kind of action has its settlement type", async () => {
  const { lines } = await read(
    row({
      type: "Partial Capture",
      breakdown: "Partial Capture",
      reference: operation,
      amount: "9",
    }),
    row({
      action: "act_2",
      type: "Refund",
      breakdown: "Refund",
      reference: operation,
      amount: "-5",
    }),
    row({
      action: "act_3",
      type: "Refund",
      breakdown: "Refund",
      reference: charge.replace("ch_", "rv_"),
      amount: "-1",
    }),
    row({ action: "dsp_1", type: "Chargeback", breakdown: "Chargeback (ADJM)", amount: "-2" }),
    row({ action: "dsp_1", type: "Chargeback", breakdown: "Chargeback (RPDW)", amount: "2" }),
    row({
      action: "act_5",
      type: "Transaction Amount Discrepancy",
      breakdown: "Transaction Amount Discrepancy",
      amount: "-1",
    }),
    row({
      action: "act_6",
      type: "Authorization",
      breakdown: "Authorization Fixed Fee",
      amount: "-1",
    }),
    row({ action: "act_7", type: "Top Up", breakdown: "Top Up", amount: "3" }),
  );
  assert.deepEqual(
    lines.map((line) => [
      line.kind === "transaction" ? line.settlementType : line.kind,
      line.typeText,
      line.charge,
      line.operation,
    ]),
    [
      ["capture", "Partial Capture", null, operation],
      ["refund", "Refund", null, operation],
      ["capture_reversal", "Refund", charge, null],
      ["chargeback", "Chargeback (ADJM)", charge, null],
      ["chargeback_return", "Chargeback (RPDW)", charge, null],
      ["unknown", "Transaction Amount Discrepancy", null, null],
      ["batch", "Fee", null, null],
      ["batch", "DepositCorrection", null, null],
      ["batch", "MerchantPayout", null, null],
    ],
  );
});

test("fractions of a minor unit are rounded so that the lines add up to the payout", async () => {
  const rows = Array.from({ length: 10 }, (_, index) => [
    row({ action: `act_${index}`, amount: "1.00" }),
    row({ action: `act_${index}`, breakdown: "Scheme Fixed Fee", amount: "-0.0035" }),
  ]);
  const { lines, sums, problem } = await read(...rows.flat());
  assert.equal(problem, null);
  assert.equal(sums[0]?.paidOutMinor, 997);
  assert.equal(
    lines.reduce((sum, line) => sum + (line.kind === "transaction" ? line.feeMinor : 0), 0),
    3,
  );
});

test("a capture or refund that the networks did not clear is the return of its amount", async () => {
  const type = "Clearing Failed";
  const { lines } = await read(
    row({ type, action: "act_2", breakdown: type, amount: "-50.00" }),
    row({ type, action: "act_3", breakdown: type, amount: "70.00", reference: operation }),
  );
  assert.deepEqual(
    lines.flatMap((line) =>
      line.kind === "transaction" ? [[line.settlementType, line.charge, line.operation]] : [],
    ),
    [
      ["capture_reversal", charge, null],
      ["refund_return", null, operation],
    ],
  );
});

test("the fee of a lost arbitration is a fee of the dispute, and not another chargeback", async () => {
  const dispute = { type: "Chargeback", action: "dsp_1" };
  const { lines } = await read(
    row({ ...dispute, breakdown: "Chargeback (ADJM)", amount: "-50.00" }),
    row({ ...dispute, breakdown: "Chargeback (ARBL)", amount: "-20.00" }),
    row({ amount: "100.00", action: "act_2" }),
  );
  const [chargeback] = lines;
  assert.ok(chargeback?.kind === "transaction");
  assert.deepEqual(
    [chargeback.settlementType, chargeback.gross.amountMinor, chargeback.feeMinor, lines.length],
    ["chargeback", -5000, 2000, 3],
  );
});

test("a payment in another currency keeps its amount, and its fee is in the currency of the payout", async () => {
  const { lines } = await read(
    row({ amount: "79.12345678", processing: ["USD", "100.00", "0.7912345678"] }),
    row({ breakdown: "Premium Variable Fee", amount: "-1.00" }),
  );
  const [line] = lines;
  assert.ok(line?.kind === "transaction");
  assert.deepEqual(line.gross, { amountMinor: 10_000, currency: "usd" });
  assert.deepEqual(
    [line.net.amountMinor, line.feeMinor, line.exchangeRate],
    [7812, 100, "0.7912345678"],
  );
});

test("a payment of another system in an unsupported currency is an unknown line with its net amount", async () => {
  const processing = ["XTS", "100.00", "0.5"] as const;
  const { lines, problem } = await read(
    row({ amount: "50.00", processing }),
    row({ breakdown: "Premium Fixed Fee", amount: "-0.05", processing }),
  );
  assert.equal(problem, null);
  assert.deepEqual(
    lines.map(({ kind, net }) => [kind, net.amountMinor]),
    [
      ["unknown", 4995],
      ["batch", -4995],
    ],
  );
});

test("a report that states its payout must add up to it", async () => {
  const payout = (amount: string) =>
    row({ action: "po_1", type: "Payout", breakdown: "Payout", amount });
  assert.equal((await read(row({ amount: "5.00" }), payout("-5.00"))).problem, null);
  const { problem } = await read(row({ amount: "5.00" }), payout("-6.00"));
  assert.equal(problem, "The net amounts in GBP add up to -1.00 instead of 0.");
});

test("the files of a report are one report", async () => {
  const report = await readSettlementReport(
    [file(row({ amount: "5.00" })), file(row({ action: "act_2", amount: "6.00" }))],
    null,
  );
  assert.ok(!("unreadable" in report));
  assert.deepEqual(
    report.lines.map(({ line, net }) => [line, net.amountMinor]),
    [
      [1, 500],
      [2, 600],
      [3, -1100],
    ],
  );
});

test("a report that is cut off, malformed or of several payouts is unreadable", async () => {
  for (const [text, why] of [
    ["", "the report is empty"],
    ["Payment ID,Action Type\n", "the column 'Action ID' is missing"],
    [file(row({ amount: "5.00" }), "pc_1,Capture"), "the number of fields is wrong"],
    [file(row({ amount: "five" })), "'Holding Currency Amount' is not a number"],
    [file(row({ amount: "0.123456789" })), "'Holding Currency Amount' is not a number"],
    [file(row({ amount: "1" }), row({ amount: "1", payout: "P2" })), "exactly one payout"],
    [file(row({ amount: "1", payout: "" })), "exactly one payout"],
    [
      file(row({ amount: "1" }), row({ amount: "1" }).replace(channel, "pc_2")),
      "processing channel",
    ],
  ] as const) {
    const report = await readSettlementReport([text], null);
    assert.ok("unreadable" in report && report.unreadable.includes(why), JSON.stringify(report));
  }
});

test("a large report does not block the event loop", async (t) => {
  const rows: string[] = [];
  for (let index = 0; index < 15_000; index++) {
    rows.push(row({ action: `act_${index}`, amount: "10.00" }));
    rows.push(row({ action: `act_${index}`, breakdown: "Premium Fixed Fee", amount: "-0.05" }));
  }
  const files = [file(...rows.slice(0, 20_000)), file(...rows.slice(20_000))];
  const blockMs = await measureBlockMs(async () => {
    const report = await readSettlementReport(files, null);
    assert("lines" in report);
    assert.deepEqual([report.lines.length, report.problem], [15_001, null]);
  });
  t.diagnostic(`${blockMs.toFixed(1)} ms`);
  assert.ok(blockMs <= slowed(60), `${blockMs} ms`);
});

test("a report with more rows than the maximum is not read, even if the rows are in several files", async () => {
  const part = file(row({ amount: "50.00" }), row({ amount: "20.00", action: "act_2" }));
  assert.ok(!("unreadable" in (await readSettlementReport([part, part], null, 4))));
  assert.deepEqual(await readSettlementReport([part, part], null, 3), {
    unreadable:
      "The report has more than 3 rows. Schedule payouts more often, so that a report contains fewer payments.",
  });
});

test("a character in the middle of two slices does not change the hash", async () => {
  const hashes = await Promise.all(
    [0, 1].map(async (shift) => {
      const text = file(
        row({ amount: "50.00", reference: `${"x".repeat(shift)}${"💶".repeat(40_000)}` }),
      );
      const report = await readSettlementReport([text], null);
      assert.ok(!("unreadable" in report), JSON.stringify(report));
      assert.equal(report.sha256, createHash("sha256").update(text).digest("hex"));
      return report.sha256;
    }),
  );
  assert.notEqual(hashes[0], hashes[1]);
});

test("a malformed row is named by its number in its file, where the head is record 1", async () => {
  const good = file(row({ amount: "1" }));
  for (const [malformed, message] of [
    [
      row({ amount: "x" }),
      "Record 3 of the settlement report is invalid: 'Holding Currency Amount' is not a number.",
    ],
    ["cut,off", "Record 3 of the settlement report is invalid: the number of fields is wrong."],
    [
      row({ action: "act_2", amount: "1" }).replace("2026-11-26T18:07:06.844", "soon"),
      "Record 3 of the settlement report is invalid: 'Processed On' is not a time.",
    ],
  ] as const) {
    const report = await readSettlementReport([good, file(row({ amount: "1" }), malformed)], null);
    assert.deepEqual(report, { unreadable: message });
  }
});
