import { createHash } from "node:crypto";
import { parseId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import { forEachInTimeSlices, mapInTimeSlices } from "../../core/time-slices.ts";
import { addUpReport, payoutType } from "../add-up-report.ts";
import { CsvMalformed } from "../csv.ts";
import { createRounding, type Rounding, toMinor } from "../round-report-amounts.ts";
import { minorUnit, scaledText } from "../scaled-decimal.ts";
import type { SettlementType } from "../settlement-file.ts";
import type {
  ReportLineFields,
  SettlementReport,
  SettlementReportLine,
} from "../settlement-report.ts";
import { type ReportRow, readRows, UnreadableReport, unreadable } from "./report-rows.ts";
import { reversedCharge } from "./requests.ts";

/**
 * The amount types of actions, by breakdown type
 * (checkout.com/docs/funds-management/retrieve-financial-reports/breakdown-types). The breakdown types of chargebacks
 * end with the code of their reason, such as `Chargeback (ADJM)`.
 */
const amountTypes: readonly (readonly [RegExp, AmountType])[] = [
  [/^(?:Partial )?Capture$/, "capture"],
  [/^(?:Partial )?Refund$/, "refund"],
  [/^Chargeback\b/, "chargeback"],
  // A capture or refund that the networks did not clear. The row reverses its amount.
  [/^Clearing Failed$/, "clearing_failure"],
];

type AmountType = "capture" | "refund" | "chargeback" | "clearing_failure";

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

/** The fees and the taxes on them (same page). `ARBL` is the fee of a lost arbitration. */
const feeType = /(?:Fee|Tax)$|^Chargeback \(ARBL\)$/;

/**
 * Reads the Financial Actions by Payout ID Report of a payout. `own` is the connection's processing channel, which is
 * used if the report has no column for it. Returns the problem if the file is malformed, or if it does not belong to
 * one payout of one channel.
 */
export async function readSettlementReport(
  files: Iterable<string> | AsyncIterable<string>,
  own: string | null,
  limit?: number,
): Promise<SettlementReport | { readonly unreadable: string }> {
  try {
    const hash = createHash("sha256");
    const rows = await readRows(files, hash, limit);
    return await reportOf(rows, own, hash.digest("hex"));
  } catch (error) {
    if (error instanceof UnreadableReport || error instanceof CsvMalformed) {
      return { unreadable: error.message };
    }
    throw error;
  }
}

async function reportOf(
  rows: readonly ReportRow[],
  own: string | null,
  sha256: string,
): Promise<SettlementReport> {
  const payouts = new Set<string>();
  const channels = new Set<string>();
  await forEachInTimeSlices(rows, ({ payout, channel }) => {
    if (payout !== null) payouts.add(payout);
    if (channel !== null) channels.add(channel);
  });
  const [batch] = payouts;
  if (batch === undefined || payouts.size > 1) {
    throw new UnreadableReport("The report must contain the rows of exactly one payout.");
  }
  if (channels.size > 1) {
    throw new UnreadableReport(
      "The report contains payments of more than one processing channel. Give each channel a sub-account of its own at Checkout.com.",
    );
  }
  const merchantAccount = [...channels][0] ?? own;
  if (merchantAccount === null) {
    throw new UnreadableReport(
      "The report does not name its processing channel. Upload a report with the column 'Processing Channel ID'.",
    );
  }
  const lines = await linesOf(rows, { merchantAccount, batchNumber: batch });
  return addUpReport({ merchantAccount, batch, lines, sha256 });
}

type Batch = { readonly merchantAccount: string; readonly batchNumber: string };

/**
 * Groups the rows into one group per line of the settlement report. The rows of an action form a line, so that a fee
 * belongs to the action that caused it. The opening and the end of a dispute are two lines, although both have the ID
 * of the dispute.
 */
async function groupsOf(rows: readonly ReportRow[]): Promise<readonly (readonly ReportRow[])[]> {
  const actions = new Map<string, ReportRow[]>();
  await forEachInTimeSlices(rows, (row) => {
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
 * Returns the lines of the report. If the report has no row for the payout itself, adds a line that pays out the sum of
 * the rows in each currency, because such a report contains exactly the rows that Checkout.com has paid out.
 */
async function linesOf(rows: readonly ReportRow[], batch: Batch): Promise<SettlementReportLine[]> {
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

function payoutLine(paid: Money, { processedOn, line }: ReportRow) {
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

function lineOf(
  rows: readonly ReportRow[],
  round: Rounding,
  position: Batch & { readonly line: number },
): SettlementReportLine {
  const [first] = rows as [ReportRow];
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
function namesOf({ reference }: ReportRow, breakdown: string) {
  const isChargeback = breakdown.startsWith("Chargeback");
  return {
    charge: parseId("ch", reference) ?? reversedCharge(reference),
    operation: isChargeback ? null : parseId("op", reference),
  };
}

function settlementTypeOf(
  { breakdown, holding }: ReportRow,
  reference: string,
): SettlementType | null {
  const type = amountTypes.find(([pattern]) => pattern.test(breakdown))?.[1] ?? null;
  switch (type) {
    case "refund":
      return reversedCharge(reference) === null ? "refund" : "capture_reversal";
    case "chargeback":
      return holding.amount < 0n ? "chargeback" : "chargeback_return";
    case "clearing_failure":
      return holding.amount < 0n ? "capture_reversal" : "refund_return";
    default:
      return type;
  }
}

/** Returns the amount in the currency of the payment. Null if it has more decimals than the currency. */
function grossOf(amounts: readonly ReportRow[]): Money | null {
  const currency = amounts[0]?.processing?.currency;
  if (currency === undefined) return null;
  const sum = amounts.reduce((total, { processing }) => total + (processing?.amount ?? 0n), 0n);
  const unit = minorUnit(currency);
  return sum % unit === 0n ? { amountMinor: Number(sum / unit), currency } : null;
}

function sumOf(rows: readonly ReportRow[]): bigint {
  return rows.reduce((sum, { holding }) => sum + holding.amount, 0n);
}

/** Returns the fees by their kind. A fee is negative in the report. */
function feesOf(rows: readonly ReportRow[]) {
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
 * Returns the time of a row, which is read as UTC. It is in the time zone of the merchant's entity at Checkout.com,
 * which the report does not state. Reconciliation tolerates an error of a few hours, because lines may also arrive
 * late.
 */
function timeOf(text: string, line: number): Date {
  const form = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?Z?$/;
  const time = new Date(form.test(text) ? `${text.replace(" ", "T").replace(/Z$/, "")}Z` : "");
  if (Number.isNaN(time.getTime())) throw unreadable(line, "'Processed On' is not a time");
  return time;
}
