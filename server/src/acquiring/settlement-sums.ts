import { decimalText } from "@florin/contract/minor-units.ts";
import type { Currency } from "../core/money.ts";
import type { BatchSums, SettlementReportLine } from "./settlement-report.ts";

/** The type of the line that contains the amount of the payout. */
export const payoutType = "MerchantPayout";

const nothing = {
  lines: 0,
  transactionsMinor: 0,
  feesMinor: 0,
  otherMinor: 0,
  unknownMinor: 0,
  unknownLines: 0,
  paidOutMinor: 0,
};

/** Adds a line to the sums of its currency. */
export function addToSums(sums: Map<Currency, BatchSums>, line: SettlementReportLine): void {
  const { currency } = line.net;
  sums.set(currency, withLine(sums.get(currency) ?? { currency, ...nothing }, line));
}

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
  return line.typeText === payoutType
    ? { ...sums, paidOutMinor: sums.paidOutMinor - amountMinor }
    : { ...sums, otherMinor: sums.otherMinor + amountMinor };
}

/**
 * Returns the problem if the lines of a currency do not add up to zero. The lines include the payout and the balance
 * carried to the next batch, so a sum other than zero shows that the report is not complete. A report has no trailer
 * record, so only the sum can show this.
 */
export function problemOfSums(sums: readonly BatchSums[]): string | null {
  for (const { currency, transactionsMinor, otherMinor, unknownMinor, paidOutMinor } of sums) {
    const rest = transactionsMinor + otherMinor + unknownMinor - paidOutMinor;
    if (rest !== 0) {
      return `The net amounts in ${currency.toUpperCase()} add up to ${decimalText(rest, currency)} instead of 0.`;
    }
  }
  return null;
}
