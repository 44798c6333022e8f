import { createHash } from "node:crypto";
import { parseId } from "../../core/ids.ts";
import { mapInTimeSlices } from "../../core/map-in-time-slices.ts";
import { type Currency, isCurrency, type Money } from "../../core/money.ts";
import { CsvMalformed, readCsv } from "../csv.ts";
import { slicesOf } from "../report-slices.ts";
import { minorUnit, parseDecimal, scaleDigits, scaledText } from "../scaled-decimal.ts";
import type { SettlementType } from "../settlement-file.ts";
import type {
  BatchSums,
  ReportLineFields,
  SettlementReport,
  SettlementReportLine,
} from "../settlement-report.ts";
import { addToSums, payoutType, problemOfSums } from "../settlement-sums.ts";
import { reversedCharge } from "./requests.ts";

/**
 * Reads Checkout.com's Financial Actions by Payout ID Report
 * (checkout.com/docs/funds-management/retrieve-financial-reports/settlement-reports/financial-actions-by-payout-id-report).
 * A row is one breakdown of one action: the amount of a capture is a row, and each of its fees is another. Amounts are
 * signed and have up to eight decimals. The processing currency is that of the payment, and the holding currency that
 * of the payout.
 */
const requiredColumns = [
  "Action Type",
  "Action ID",
  "Payment ID",
  "Processed On",
  "Processing Currency",
  "Holding Currency",
  "Payout ID",
  "Breakdown Type",
  "Processing Currency Amount",
  "Holding Currency Amount",
] as const;

const optionalColumns = [
  "Reference",
  "Payment Method",
  "Processing Channel ID",
  "FX Rate Applied",
] as const;

type Column = (typeof requiredColumns)[number] | (typeof optionalColumns)[number];

/** Thrown for a malformed report. None of its rows may be used. */
class Unreadable extends Error {
  override name = "Unreadable";
}

/**
 * The breakdown types of the amounts of actions
 * (checkout.com/docs/funds-management/retrieve-financial-reports/breakdown-types). Types of chargebacks end with the
 * code of their reason, such as `Chargeback (ADJM)`.
 */
export const amountTypes: readonly (readonly [RegExp, "capture" | "refund" | "chargeback"])[] = [
  [/^(?:Partial )?Capture$/, "capture"],
  [/^(?:Partial )?Refund$/, "refund"],
  [/^Chargeback\b/, "chargeback"],
];

/** For each breakdown type that belongs to no payment, the type of the batch line (same page). */
export const batchTypes: readonly (readonly [RegExp, string])[] = [
  [/^Payout$/, payoutType],
  [/^Invoice Settlement$/, "InvoiceDeduction"],
  [/^Top Up$/, "DepositCorrection"],
  [
    /^(?:Rolling Reserve|Security Deposit|Operational Funding|Cover Negative Position)/,
    "Balancetransfer",
  ],
];

/** The fees and the taxes on them (same page). */
const feeType = /(?:Fee|Tax)$/;

/** The maximum number of rows of a report, which are all in memory at the same time. */
const maxRows = 500_000;

type Row = {
  readonly line: number;
  readonly actionType: string;
  readonly action: string;
  readonly payment: string | null;
  readonly processedOn: string;
  readonly payout: string | null;
  readonly breakdown: string;
  readonly reference: string;
  readonly paymentMethod: string | null;
  readonly channel: string | null;
  readonly rate: string | null;
  readonly processing: Scaled | null;
  readonly holding: Scaled;
};

/** An amount in units of 10^-8 of the currency's main unit. */
type Scaled = { readonly amount: bigint; readonly currency: Currency };

/**
 * Reads a report in slices, so that other requests are served between two slices. `own` is the connection's processing
 * channel, which applies to a report without a column for it.
 * Returns the problem if the file is malformed, or if it does not belong to one payout of one channel.
 */
export async function readSettlementReport(
  files: Iterable<string> | AsyncIterable<string>,
  own: string | null,
  limit = maxRows,
): Promise<SettlementReport | { readonly unreadable: string }> {
  try {
    const rows: Row[] = [];
    const hash = createHash("sha256");
    let isFirst = true;
    for await (const file of files) {
      if (!isFirst) hash.update("\n");
      isFirst = false;
      await readRows(slicesOf(Buffer.from(file), hash), rows, limit);
    }
    return await reportOf(rows, own, hash.digest("hex"));
  } catch (error) {
    if (error instanceof Unreadable || error instanceof CsvMalformed) {
      return { unreadable: error.message };
    }
    throw error;
  }
}

/** Adds the rows of a file. Checkout.com splits a report into several files of the same form. */
async function readRows(file: AsyncIterable<string>, rows: Row[], limit: number): Promise<void> {
  let columns: ReadonlyMap<Column, number> | null = null;
  let width = 0;
  let line = 0;
  for await (const record of readCsv(file)) {
    line += 1;
    if (columns === null) {
      columns = columnsOf(record);
      width = record.length;
      continue;
    }
    // A record with fewer fields is the end of a file that was cut off.
    if (record.length !== width) throw unreadable(line, "the number of fields is wrong");
    if (rows.length === limit) {
      throw new Unreadable(
        `The report has more than ${limit} rows. Schedule payouts more often, so that a report contains fewer payments.`,
      );
    }
    rows.push(rowOf(record, columns, rows.length + 1));
  }
  if (columns === null) throw unreadable(1, "the report is empty");
}

function columnsOf(head: readonly string[]): ReadonlyMap<Column, number> {
  const names = head.map((name) => name.trim().toLowerCase());
  const columns = new Map<Column, number>();
  for (const name of [...requiredColumns, ...optionalColumns]) {
    const index = names.indexOf(name.toLowerCase());
    if (index >= 0) columns.set(name, index);
  }
  const missing = requiredColumns.find((name) => !columns.has(name));
  if (missing !== undefined) throw unreadable(1, `the column '${missing}' is missing`);
  return columns;
}

function rowOf(fields: readonly string[], columns: ReadonlyMap<Column, number>, line: number): Row {
  const text = (column: Column): string | null => {
    const value = fields[columns.get(column) ?? -1]?.trim() ?? "";
    return value === "" ? null : value;
  };
  const required = (column: Column): string => {
    const value = text(column);
    if (value === null) throw unreadable(line, `'${column}' is empty`);
    return value;
  };
  const amount = (currencyColumn: Column, column: Column): Scaled | null => {
    const value = text(column);
    const code = text(currencyColumn)?.toLowerCase() ?? null;
    if (value === null || code === null) return null;
    const scaled = parseDecimal(value, scaleDigits);
    if (scaled === null) throw unreadable(line, `'${column}' is not a number`);
    if (!isCurrency(code)) throw unreadable(line, `'${currencyColumn}' is not supported`);
    return { amount: scaled, currency: code };
  };
  const holding = amount("Holding Currency", "Holding Currency Amount");
  if (holding === null) throw unreadable(line, "the record has no holding amount");
  return {
    line,
    actionType: required("Action Type"),
    action: required("Action ID"),
    payment: text("Payment ID"),
    processedOn: required("Processed On"),
    payout: text("Payout ID"),
    breakdown: required("Breakdown Type"),
    reference: text("Reference") ?? "",
    paymentMethod: text("Payment Method"),
    channel: text("Processing Channel ID"),
    rate: text("FX Rate Applied"),
    processing: amount("Processing Currency", "Processing Currency Amount"),
    holding,
  };
}

async function reportOf(
  rows: readonly Row[],
  own: string | null,
  sha256: string,
): Promise<SettlementReport> {
  const payouts = new Set<string>();
  const channels = new Set<string>();
  await mapInTimeSlices(rows, ({ payout, channel }) => {
    if (payout !== null) payouts.add(payout);
    if (channel !== null) channels.add(channel);
  });
  const [batch] = payouts;
  if (batch === undefined || payouts.size > 1) {
    throw new Unreadable("The report must contain the rows of exactly one payout.");
  }
  if (channels.size > 1) {
    throw new Unreadable(
      "The report contains payments of more than one processing channel. Give each channel a sub-account of its own at Checkout.com.",
    );
  }
  const merchantAccount = [...channels][0] ?? own;
  if (merchantAccount === null) {
    throw new Unreadable("The report has no column 'Processing Channel ID'.");
  }
  const lines = await linesOf(rows, { merchantAccount, batchNumber: batch });
  const sums = new Map<Currency, BatchSums>();
  let postedFrom: Date | null = null;
  let postedUntil: Date | null = null;
  await mapInTimeSlices(lines, (line) => {
    addToSums(sums, line);
    if (line.kind !== "transaction") return;
    if (!postedFrom || line.postedAt < postedFrom) postedFrom = line.postedAt;
    if (!postedUntil || line.postedAt > postedUntil) postedUntil = line.postedAt;
  });
  return {
    merchantAccount,
    batch,
    lines,
    sha256,
    postedFrom,
    postedUntil,
    sums: [...sums.values()],
    problem: problemOfSums([...sums.values()]),
  };
}

type Batch = { readonly merchantAccount: string; readonly batchNumber: string };

/**
 * Returns the rows of each line: those of an action, because a fee belongs to the action that caused it. The opening and
 * the end of a dispute are two lines, although both have the ID of the dispute.
 */
async function groupsOf(rows: readonly Row[]): Promise<readonly (readonly Row[])[]> {
  const actions = new Map<string, Row[]>();
  await mapInTimeSlices(rows, (row) => {
    const key = `${row.action} ${row.holding.currency}`;
    const group = actions.get(key);
    if (group) group.push(row);
    else actions.set(key, [row]);
  });
  const groups = await mapInTimeSlices([...actions.values()], (group) => {
    const fees = group.filter(({ breakdown }) => feeType.test(breakdown));
    const amounts = group.filter(({ breakdown }) => !feeType.test(breakdown));
    const [first = [], ...others] = Map.groupBy(amounts, ({ breakdown }) => breakdown).values();
    return [[...first, ...fees], ...others];
  });
  return groups.flat();
}

/**
 * Returns the lines of the report. A report without a row for the
 * payout gets one, because Checkout.com writes a report for exactly the rows that it has paid out.
 */
async function linesOf(rows: readonly Row[], batch: Batch): Promise<SettlementReportLine[]> {
  const round = createRounding();
  let number = 0;
  const lines = await mapInTimeSlices(await groupsOf(rows), (group) => {
    number += 1;
    return lineOf(group, round, { line: number, ...batch });
  });
  if (rows.some(({ breakdown }) => breakdown === "Payout")) return lines;
  const last = rows.at(-1);
  const payouts = last === undefined ? [] : round.totals().map((paid) => payoutLine(paid, last));
  return [
    ...lines,
    ...payouts.map((line, index) => ({ ...line, ...batch, line: lines.length + index + 1 })),
  ];
}

function payoutLine(paid: Money, { processedOn, line }: Row) {
  return {
    kind: "batch" as const,
    typeText: payoutType,
    charge: null,
    operation: null,
    paymentReference: null,
    modificationReference: null,
    paymentMethod: null,
    createdAt: processedOn,
    timeZone: null,
    postedAt: timeOf(processedOn, line),
    exchangeRate: null,
    net: { ...paid, amountMinor: -paid.amountMinor },
  };
}

type Rounding = {
  /** Returns the amount in minor units. The rounded amounts add up to the rounded sum. */
  readonly next: (amount: bigint, currency: Currency) => number;
  readonly totals: () => readonly Money[];
};

/**
 * Rounds amounts to minor units. Fees have more decimals, so each line gets the difference between two rounded sums.
 */
function createRounding(): Rounding {
  const sums = new Map<Currency, { readonly exact: bigint; readonly rounded: number }>();
  return {
    next(amount, currency) {
      const before = sums.get(currency) ?? { exact: 0n, rounded: 0 };
      const exact = before.exact + amount;
      const rounded = toMinor(exact, currency);
      sums.set(currency, { exact, rounded });
      return rounded - before.rounded;
    },
    totals: () => [...sums].map(([currency, { rounded }]) => ({ amountMinor: rounded, currency })),
  };
}

/** Rounds half away from zero. */
function toMinor(scaled: bigint, currency: Currency): number {
  const unit = minorUnit(currency);
  const half = scaled < 0n ? -unit / 2n : unit / 2n;
  return Number((scaled + half) / unit);
}

function lineOf(
  rows: readonly Row[],
  round: Rounding,
  position: Batch & { readonly line: number },
): SettlementReportLine {
  const [first] = rows as [Row];
  const { currency } = first.holding;
  const amounts = rows.filter(({ breakdown }) => !feeType.test(breakdown));
  const [amount] = amounts;
  const net = { amountMinor: round.next(sumOf(rows), currency), currency };
  const fields: ReportLineFields = {
    ...position,
    ...namesOf(first, amount?.breakdown ?? ""),
    typeText: amount?.breakdown ?? "Fee",
    paymentReference: first.payment,
    modificationReference: first.action,
    paymentMethod: first.paymentMethod,
    createdAt: first.processedOn,
    timeZone: null,
    postedAt: timeOf(first.processedOn, first.line),
    exchangeRate: first.rate,
    net,
  };
  // A fee of an authorization belongs to no capture or refund.
  if (amount === undefined) return { kind: "batch", ...fields, ...noNames };
  const batchType = batchTypes.find(([pattern]) => pattern.test(amount.breakdown))?.[1];
  if (batchType !== undefined) {
    return { kind: "batch", ...fields, ...noNames, typeText: batchType };
  }
  const settlementType = settlementTypeOf(amount, first.reference);
  const gross = grossOf(amounts);
  if (settlementType === null || gross === null) return { kind: "unknown", ...fields, ...noNames };
  return {
    kind: "transaction",
    settlementType,
    gross,
    feeMinor: toMinor(sumOf(amounts), currency) - net.amountMinor,
    fees: feesOf(rows),
    ...fields,
  };
}

/** Only lines of captures, refunds and disputes have our references. */
const noNames = { charge: null, operation: null } as const;

/** Returns our references. A reversal has the reference of its charge with another prefix. */
function namesOf({ reference }: Row, breakdown: string) {
  const isChargeback = breakdown.startsWith("Chargeback");
  return {
    charge: parseId("ch", reference) ?? reversedCharge(reference),
    operation: isChargeback ? null : parseId("op", reference),
  };
}

function settlementTypeOf({ breakdown, holding }: Row, reference: string): SettlementType | null {
  const type = amountTypes.find(([pattern]) => pattern.test(breakdown))?.[1] ?? null;
  switch (type) {
    case "refund":
      return reversedCharge(reference) === null ? "refund" : "capture_reversal";
    case "chargeback":
      return holding.amount < 0n ? "chargeback" : "chargeback_return";
    default:
      return type;
  }
}

/** Returns the amount in the currency of the payment. Null if it has more decimals than the currency. */
function grossOf(amounts: readonly Row[]): Money | null {
  const currency = amounts[0]?.processing?.currency;
  if (currency === undefined) return null;
  const sum = amounts.reduce((total, { processing }) => total + (processing?.amount ?? 0n), 0n);
  const unit = minorUnit(currency);
  return sum % unit === 0n ? { amountMinor: Number(sum / unit), currency } : null;
}

function sumOf(rows: readonly Row[]): bigint {
  return rows.reduce((sum, { holding }) => sum + holding.amount, 0n);
}

/** Returns the fees by their kind. A fee is negative in the report. */
function feesOf(rows: readonly Row[]) {
  const textOf = (isKind: (breakdown: string) => boolean): string | null => {
    const fees = rows.filter(({ breakdown }) => feeType.test(breakdown) && isKind(breakdown));
    return fees.length === 0 ? null : scaledText(-sumOf(fees));
  };
  const isScheme = (breakdown: string) => breakdown.startsWith("Scheme");
  const isInterchange = (breakdown: string) => breakdown.startsWith("Interchange");
  return {
    commission: textOf((breakdown) => !isScheme(breakdown) && !isInterchange(breakdown)),
    markup: null,
    schemeFees: textOf(isScheme),
    interchange: textOf(isInterchange),
  };
}

/**
 * Returns the time of a row. It is in the entity's time zone, which the report does not state. Reconciliation tolerates
 * an error of a few hours, because lines may also arrive late.
 */
function timeOf(text: string, line: number): Date {
  const form = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?Z?$/;
  const time = new Date(form.test(text) ? `${text.replace(" ", "T").replace(/Z$/, "")}Z` : "");
  if (Number.isNaN(time.getTime())) throw unreadable(line, "'Processed On' is not a time");
  return time;
}

function unreadable(line: number, why: string): Unreadable {
  return new Unreadable(`Record ${line} of the settlement report is invalid: ${why}.`);
}
