import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import { parseId } from "../../core/ids.ts";
import { type Currency, isCurrency, type Money } from "../../core/money.ts";
import { readCsv } from "../csv.ts";
import { createRounding, type Rounding, toMinor } from "../round-report-amounts.ts";
import { absolute, minorUnit, parseDecimal, scaleDigits } from "../scaled-decimal.ts";
import type { SettlementType } from "../settlement-file.ts";
import type { ReportLineFields, ReportTransaction } from "../settlement-report.ts";
import { adyenDigits } from "./currencies.ts";

/**
 * A line of Adyen's Settlement details report
 * (docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report).
 * Adyen writes a report for each batch that it pays out. Amounts are decimal numbers, in separate columns for debit and
 * credit. `GC` is the currency of the payment, and `NC` that of the payout.
 */
export type AdyenReportLine =
  | TransactionLine
  /** A fee, a correction, a payout or a transfer between batches. It belongs to no payment. */
  | ({ readonly kind: "batch"; readonly type: BatchType } & ReportLineFields)
  /**
   * A type that Adyen's documentation does not explain for cards, or a payment of another system in a currency that
   * Florin does not support. The sum of the report includes the line's net amount, and an operator reviews the line.
   */
  | ({ readonly kind: "unknown" } & ReportLineFields);

/** A line of a payment. The reader checks that its fee, gross minus net, equals the sum of the four fees. */
export type TransactionLine = ReportTransaction & { readonly type: TransactionType };

/** The types of lines that belong to a payment. */
export const transactionTypes = {
  Settled: "capture",
  SettledReversed: "capture_reversal",
  Refunded: "refund",
  RefundedReversed: "refund_return",
  Chargeback: "chargeback",
  ChargebackReversed: "chargeback_return",
  SecondChargeback: "second_chargeback",
} as const satisfies Record<string, SettlementType>;

type TransactionType = keyof typeof transactionTypes;

/** The types of lines that belong to the batch. */
export const batchTypes = [
  "Fee",
  "MiscCosts",
  "InvoiceDeduction",
  "DepositCorrection",
  "MerchantPayout",
  "Balancetransfer",
] as const;

type BatchType = (typeof batchTypes)[number];

/** Thrown for a malformed report. None of its lines may be used. */
export class SettlementReportUnreadable extends Error {
  override name = "SettlementReportUnreadable";
}

const requiredColumns = [
  "Merchant Account",
  "Psp Reference",
  "Merchant Reference",
  "Creation Date",
  "Type",
  "Modification Reference",
  "Gross Currency",
  "Gross Debit",
  "Gross Credit",
  "Exchange Rate",
  "Net Currency",
  "Net Debit",
  "Net Credit",
  "Commission",
  "Markup",
  "Scheme Fees",
  "Interchange",
] as const;

const optionalColumns = [
  "Payment Method",
  "TimeZone",
  "Batch Number",
  "Modification Merchant Reference",
] as const;

type Column = (typeof requiredColumns)[number] | (typeof optionalColumns)[number];

/**
 * Parses a report while it is received. Columns are found by name, because an account can have additional columns at
 * any position. Throws `SettlementReportUnreadable` or `CsvMalformed` at the first malformed line.
 *
 * The report has no last record that states its length. A file that was cut off between two lines looks complete, so
 * the caller compares the sum of the net amounts with the payout.
 */
export async function* readSettlementReport(
  text: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<AdyenReportLine> {
  let columns: Map<Column, number> | null = null;
  let width = 0;
  let number = 0;
  const round = createRounding();
  for await (const record of readCsv(text)) {
    number += 1;
    if (columns === null) {
      columns = columnsOf(record);
      width = record.length;
      continue;
    }
    // A record with fewer fields is the end of a file that was cut off.
    if (record.length !== width) throw unreadable(number, "the number of fields is wrong");
    yield readLine(new Row(record, columns, number), round);
  }
  if (columns === null) throw unreadable(1, "the report is empty");
}

/** Returns the positions of the columns. The suffixes ` (GC)` and ` (NC)` are left out of their names. */
function columnsOf(head: readonly string[]): Map<Column, number> {
  const names = head.map((name) => name.trim().replace(/ \((?:GC|NC)\)$/, ""));
  const columns = new Map<Column, number>();
  for (const name of [...requiredColumns, ...optionalColumns]) {
    const index = names.indexOf(name);
    if (index !== names.lastIndexOf(name)) throw unreadable(1, `the column '${name}' is repeated`);
    if (index >= 0) columns.set(name, index);
  }
  const missing = requiredColumns.find((name) => !columns.has(name));
  if (missing !== undefined) throw unreadable(1, `the column '${missing}' is missing`);
  return columns;
}

class Row {
  readonly #fields: readonly string[];
  readonly #columns: ReadonlyMap<Column, number>;
  readonly line: number;

  constructor(fields: readonly string[], columns: ReadonlyMap<Column, number>, line: number) {
    this.#fields = fields;
    this.#columns = columns;
    this.line = line;
  }

  /** Returns null for an empty field or an absent column. */
  text(column: Column): string | null {
    const text = this.#fields[this.#columns.get(column) ?? -1]?.trim() ?? "";
    return text === "" ? null : text;
  }

  required(column: Column): string {
    const text = this.text(column);
    if (text === null) throw this.unreadable(`'${column}' is empty`);
    return text;
  }

  currency(column: Column): Currency {
    const code = this.required(column).toLowerCase();
    if (isCurrency(code)) return code;
    throw this.unreadable(`'${column}' is not a supported currency`);
  }

  /** Returns the number in units of 10^-8, in which all sums are exact. Returns null for an empty field. */
  scaled(column: Column): bigint | null {
    const text = this.text(column);
    if (text === null) return null;
    const scaled = parseDecimal(text, scaleDigits);
    if (scaled === null) throw this.unreadable(`'${column}' is not a number`);
    return scaled;
  }

  unreadable(why: string): SettlementReportUnreadable {
    return unreadable(this.line, why);
  }
}

function readLine(row: Row, round: Rounding): AdyenReportLine {
  const typeText = row.required("Type");
  const netCurrency = row.currency("Net Currency");
  const net = balanceOf(row, "Net Debit", "Net Credit");
  if (net === null) throw row.unreadable("the record has no net amount");
  const fields: ReportLineFields = {
    line: row.line,
    typeText,
    merchantAccount: row.required("Merchant Account"),
    batchNumber: row.text("Batch Number"),
    charge: parseId("ch", row.text("Merchant Reference") ?? ""),
    operation: parseId("op", row.text("Modification Merchant Reference") ?? ""),
    paymentReference: row.text("Psp Reference"),
    modificationReference: row.text("Modification Reference"),
    paymentMethod: row.text("Payment Method"),
    createdAt: row.required("Creation Date"),
    timeZone: row.text("TimeZone"),
    postedAt: timeOf(row),
    exchangeRate: row.text("Exchange Rate"),
    net: {
      amountMinor: round.next(roundableOf(row, net, netCurrency), netCurrency),
      currency: netCurrency,
    },
  };
  if (isBatchType(typeText)) return { kind: "batch", type: typeText, ...fields };
  if (!isTransactionType(typeText)) return { kind: "unknown", ...fields };
  const gross = balanceOf(row, "Gross Debit", "Gross Credit");
  if (gross === null) throw row.unreadable("the record has no gross amount");
  const grossCurrency = row.required("Gross Currency").toLowerCase();
  if (!isCurrency(grossCurrency)) return { kind: "unknown", ...fields };
  const feeSum = feeColumns.reduce((sum, column) => sum + (row.scaled(column) ?? 0n), 0n);
  checkFees(row, { gross, grossCurrency, net, netCurrency, feeSum });
  return {
    kind: "transaction",
    type: typeText,
    settlementType: transactionTypes[typeText],
    gross: moneyOf(row, gross, grossCurrency),
    feeMinor:
      toMinor(net + roundableOf(row, feeSum, netCurrency), netCurrency) - fields.net.amountMinor,
    fees: {
      commission: row.text("Commission"),
      markup: row.text("Markup"),
      schemeFees: row.text("Scheme Fees"),
      interchange: row.text("Interchange"),
    },
    ...fields,
  };
}

/** The offsets from UTC of the zones in Adyen's reports, in hours. A report states the abbreviation only. */
const zoneOffsets: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  BST: 1,
  CET: 1,
  CEST: 2,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  PST: -8,
  PDT: -7,
  SGT: 8,
  AEST: 10,
  AEDT: 11,
};

/**
 * Returns the creation time. A zone that is not in `zoneOffsets` counts as UTC. Reconciliation tolerates an error of a
 * few hours, because lines may also arrive late.
 */
function timeOf(row: Row): Date {
  const text = row.required("Creation Date");
  const form = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}$/;
  const localMs = form.test(text) ? Date.parse(`${text.replace(" ", "T")}Z`) : Number.NaN;
  if (Number.isNaN(localMs)) throw row.unreadable("'Creation Date' is not a time");
  const offset = zoneOffsets[row.text("TimeZone") ?? "UTC"] ?? 0;
  return new Date(localMs - offset * 60 * 60 * 1000);
}

const feeColumns = ["Commission", "Markup", "Scheme Fees", "Interchange"] as const;

/** Returns credit minus debit. Returns null if both columns are empty. */
function balanceOf(row: Row, debit: Column, credit: Column): bigint | null {
  const outgoing = row.scaled(debit);
  const incoming = row.scaled(credit);
  return outgoing === null && incoming === null ? null : (incoming ?? 0n) - (outgoing ?? 0n);
}

/**
 * Asserts that gross minus net equals the fees. If the payout has another currency, the gross amount is converted with
 * the line's exchange rate. Adyen rounds that rate, so the tolerance is the rounding error of the rate plus one minor
 * unit for the amount.
 */
function checkFees(
  row: Row,
  amounts: {
    gross: bigint;
    grossCurrency: Currency;
    net: bigint;
    netCurrency: Currency;
    feeSum: bigint;
  },
): void {
  const { gross, grossCurrency, net, netCurrency, feeSum } = amounts;
  if (grossCurrency === netCurrency) {
    if (gross - net !== feeSum) throw row.unreadable("gross minus net is not the sum of the fees");
    return;
  }
  const rateText = row.required("Exchange Rate");
  const rateDigits = rateText.split(".")[1]?.length ?? 0;
  const rate = parseDecimal(rateText, rateDigits);
  if (rate === null || rate <= 0n) throw row.unreadable("'Exchange Rate' is not a positive number");
  const rateScale = 10n ** BigInt(rateDigits);
  const difference = gross * rate - (net + feeSum) * rateScale;
  const tolerance = absolute(gross) / 2n + minorUnit(netCurrency) * rateScale;
  if (absolute(difference) > tolerance) {
    throw row.unreadable("gross times the exchange rate minus net is not the sum of the fees");
  }
}

function moneyOf(row: Row, scaled: bigint, currency: Currency): Money {
  checkDigits(row, scaled, currency, minorUnitDigits(currency));
  return { amountMinor: Number(scaled / minorUnit(currency)), currency };
}

/**
 * Returns a net amount or a fee. It can have the decimals of the currency at Adyen. For example, a fee in ISK has two
 * decimals, although the currency has none. The caller rounds it.
 */
function roundableOf(row: Row, scaled: bigint, currency: Currency): bigint {
  const digits = minorUnitDigits(currency);
  checkDigits(row, scaled, currency, Math.max(digits, adyenDigits[currency] ?? digits));
  return scaled;
}

function checkDigits(row: Row, scaled: bigint, currency: Currency, digits: number): void {
  const unit = 10n ** BigInt(scaleDigits - digits);
  if (scaled % unit !== 0n) {
    throw row.unreadable(`an amount has more decimals than ${currency.toUpperCase()}`);
  }
  if (!Number.isSafeInteger(Number(scaled / unit))) throw row.unreadable("an amount is too large");
}

function isTransactionType(text: string): text is TransactionType {
  return Object.hasOwn(transactionTypes, text);
}

function isBatchType(text: string): text is BatchType {
  return (batchTypes as readonly string[]).includes(text);
}

function unreadable(line: number, why: string): SettlementReportUnreadable {
  return new SettlementReportUnreadable(
    `Record ${line} of the settlement report is invalid: ${why}.`,
  );
}
