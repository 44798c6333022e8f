import { decimalText } from "@florin/contract/minor-units.ts";
import type { Currency } from "../../core/money.ts";
import { CsvMalformed } from "../csv.ts";
import {
  readSettlementReport,
  type SettlementReportLine,
  SettlementReportUnreadable,
} from "./settlement-report.ts";

/** A settlement details report of one batch, with all its lines. */
export type SettlementReport = {
  readonly merchantAccount: string;
  readonly batch: string;
  readonly lines: readonly SettlementReportLine[];
  readonly sums: readonly BatchSums[];
  /** Why the lines cannot be complete. Null if they add up to zero in each currency. */
  readonly problem: string | null;
};

/** The net amounts of a batch in one currency, in minor units. */
export type BatchSums = {
  readonly currency: Currency;
  readonly lines: number;
  /** The lines of payments, refunds and disputes, after their fees. */
  readonly transactionsMinor: number;
  /** The fees that these lines deduct. */
  readonly feesMinor: number;
  /** Invoices, fees of the batch, corrections and balances of other batches. Negative for costs. */
  readonly otherMinor: number;
  /** The lines of a type that Florin does not support. */
  readonly unknownMinor: number;
  readonly unknownLines: number;
  readonly paidOutMinor: number;
};

/** Reads a report of one batch of the merchant account. Returns the problem if it is malformed or not such a report. */
export async function readReport(
  csv: string,
  merchantAccount: string,
): Promise<SettlementReport | { readonly unreadable: string }> {
  const lines: SettlementReportLine[] = [];
  try {
    for await (const line of readSettlementReport([csv])) lines.push(line);
  } catch (error) {
    if (error instanceof SettlementReportUnreadable || error instanceof CsvMalformed) {
      return { unreadable: error.message };
    }
    throw error;
  }
  const batch = lines[0]?.batchNumber ?? null;
  if (batch === null) return { unreadable: "The settlement report has no batch number." };
  if (lines.some(({ batchNumber }) => batchNumber !== batch)) {
    return { unreadable: "The settlement report contains more than one batch." };
  }
  if (lines.some((line) => line.merchantAccount !== merchantAccount)) {
    return { unreadable: "The settlement report contains another merchant account." };
  }
  const sums = sumsOf(lines);
  return { merchantAccount, batch, lines, sums, problem: problemOf(sums) };
}

function sumsOf(lines: readonly SettlementReportLine[]): BatchSums[] {
  const sums = new Map<Currency, BatchSums>();
  for (const line of lines) {
    const { currency } = line.net;
    sums.set(currency, withLine(sums.get(currency) ?? { currency, ...nothing }, line));
  }
  return [...sums.values()];
}

const nothing = {
  lines: 0,
  transactionsMinor: 0,
  feesMinor: 0,
  otherMinor: 0,
  unknownMinor: 0,
  unknownLines: 0,
  paidOutMinor: 0,
};

function withLine(before: BatchSums, line: SettlementReportLine): BatchSums {
  const { amountMinor } = line.net;
  const sums = { ...before, lines: before.lines + 1 };
  if (line.kind === "transaction") {
    const feesMinor = sums.feesMinor + line.feeMinor;
    return { ...sums, feesMinor, transactionsMinor: sums.transactionsMinor + amountMinor };
  }
  if (line.kind === "unknown") {
    const unknownLines = sums.unknownLines + 1;
    return { ...sums, unknownLines, unknownMinor: sums.unknownMinor + amountMinor };
  }
  return line.type === "MerchantPayout"
    ? { ...sums, paidOutMinor: sums.paidOutMinor - amountMinor }
    : { ...sums, otherMinor: sums.otherMinor + amountMinor };
}

/**
 * The report has no last record. Its lines include the payout and the balance that the next batch receives, so they add
 * up to zero unless the file was cut off.
 */
function problemOf(sums: readonly BatchSums[]): string | null {
  for (const { currency, transactionsMinor, otherMinor, unknownMinor, paidOutMinor } of sums) {
    const rest = transactionsMinor + otherMinor + unknownMinor - paidOutMinor;
    if (rest !== 0) {
      return `The net amounts in ${currency.toUpperCase()} add up to ${decimalText(rest, currency)} instead of 0.`;
    }
  }
  return null;
}
