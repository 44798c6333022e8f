import { decimalText } from "@florin/contract/minor-units.ts";
import type { Currency } from "../core/money.ts";
import { forEachInTimeSlices } from "../core/time-slices.ts";
import type { BatchSums, SettlementReport, SettlementReportLine } from "./settlement-report.ts";

/** The type of the line that contains the amount of the payout. */
export const payoutType = "MerchantPayout";

/** Returns the report with the sums of its lines, the times of its first and last transaction, and its problem. */
export async function addUpReport(
  report: Pick<SettlementReport, "merchantAccount" | "batch" | "lines" | "sha256">,
): Promise<SettlementReport> {
  const sumsByCurrency = new Map<Currency, BatchSums>();
  let postedFrom: Date | null = null;
  let postedUntil: Date | null = null;
  await forEachInTimeSlices(report.lines, (line) => {
    const { currency } = line.net;
    const before = sumsByCurrency.get(currency) ?? { currency, ...nothing };
    sumsByCurrency.set(currency, withLine(before, line));
    if (line.kind !== "transaction") return;
    if (!postedFrom || line.postedAt < postedFrom) postedFrom = line.postedAt;
    if (!postedUntil || line.postedAt > postedUntil) postedUntil = line.postedAt;
  });
  const sums = [...sumsByCurrency.values()];
  return { ...report, postedFrom, postedUntil, sums, problem: problemOfSums(sums) };
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
  return line.typeText === payoutType
    ? { ...sums, paidOutMinor: sums.paidOutMinor - amountMinor }
    : { ...sums, otherMinor: sums.otherMinor + amountMinor };
}

/**
 * Returns the problem if the lines of a currency do not add up to zero. The lines include the payout and the balance
 * carried to the next batch, so a sum other than zero shows that the report is not complete. A report has no trailer
 * record, so only the sum can show this.
 */
function problemOfSums(sums: readonly BatchSums[]): string | null {
  for (const { currency, transactionsMinor, otherMinor, unknownMinor, paidOutMinor } of sums) {
    const rest = transactionsMinor + otherMinor + unknownMinor - paidOutMinor;
    if (rest !== 0) {
      return `The net amounts in ${currency.toUpperCase()} add up to ${decimalText(rest, currency)} instead of 0.`;
    }
  }
  return null;
}
