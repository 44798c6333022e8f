import type { Hash } from "node:crypto";
import { type Currency, isCurrency } from "../../core/money.ts";
import { readCsv } from "../csv.ts";
import { slicesOf } from "../report-slices.ts";
import { parseDecimal, scaleDigits } from "../scaled-decimal.ts";

/**
 * The columns of Checkout.com's Financial Actions by Payout ID Report
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

/** The maximum number of rows of a report, which are all in memory at the same time. */
const maxRows = 500_000;

export type ReportRow = {
  /** The number of the record in its file. The header row is record 1. */
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
  /**
   * Null if the row has no processing amount, or if Florin does not support its currency. Only payments of other systems
   * have such a currency.
   */
  readonly processing: Scaled | null;
  readonly holding: Scaled;
};

/** An amount in units of 10^-8 of the currency's main unit. */
export type Scaled = { readonly amount: bigint; readonly currency: Currency };

/** Thrown for a malformed report. None of its rows may be used. */
export class UnreadableReport extends Error {
  override name = "UnreadableReport";
}

/** Returns the error for a record of the report. */
export function unreadable(line: number, why: string): UnreadableReport {
  return new UnreadableReport(`Record ${line} of the settlement report is invalid: ${why}.`);
}

/**
 * Reads the rows of a report in slices, so that other requests are served between two slices, and adds the files to the
 * hash. Checkout.com splits a report into several files of the same form.
 */
export async function readRows(
  files: Iterable<string> | AsyncIterable<string>,
  hash: Hash,
  limit = maxRows,
): Promise<readonly ReportRow[]> {
  const rows: ReportRow[] = [];
  let isFirst = true;
  for await (const file of files) {
    if (!isFirst) hash.update("\n");
    isFirst = false;
    await addRows(slicesOf(Buffer.from(file), hash), rows, limit);
  }
  return rows;
}

/** Adds the rows of a file. */
async function addRows(
  file: AsyncIterable<string>,
  rows: ReportRow[],
  limit: number,
): Promise<void> {
  let columns: ReadonlyMap<Column, number> | null = null;
  let width = 0;
  let line = 0;
  const share = createSharing();
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
      throw new UnreadableReport(
        `The report has more than ${limit} rows. Schedule payouts more often, so that a report contains fewer payments.`,
      );
    }
    rows.push(rowOf(record, columns, line, share));
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

type Sharing = (column: Column, value: string) => string;

/**
 * Returns a function that reduces the memory of a row's values. The rows of an action have the same IDs and times, so a
 * value that equals the previous row's shares its string. Any other value is copied. Without the copy, each value would
 * be a slice of the whole text of the file and keep the text in memory.
 */
function createSharing(): Sharing {
  const previous = new Map<Column, string>();
  return (column, value) => {
    const known = previous.get(column);
    if (known === value) return known;
    const copy = Buffer.from(value).toString();
    previous.set(column, copy);
    return copy;
  };
}

function rowOf(
  fields: readonly string[],
  columns: ReadonlyMap<Column, number>,
  line: number,
  share: Sharing,
): ReportRow {
  const text = (column: Column): string | null => {
    const value = fields[columns.get(column) ?? -1]?.trim() ?? "";
    return value === "" ? null : share(column, value);
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
    return isCurrency(code) ? { amount: scaled, currency: code } : null;
  };
  const holding = amount("Holding Currency", "Holding Currency Amount");
  if (holding === null) {
    throw unreadable(line, "the record has no holding amount in a supported currency");
  }
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
