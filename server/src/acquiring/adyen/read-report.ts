import { createHash, type Hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { decimalText } from "@florin/contract/minor-units.ts";
import type { Currency } from "../../core/money.ts";
import { CsvMalformed } from "../csv.ts";
import type { BatchSums, SettlementReport } from "../settlement-report.ts";
import {
  type AdyenReportLine,
  readSettlementReport,
  SettlementReportUnreadable,
} from "./settlement-report.ts";

/**
 * Reads a report of one batch of the merchant account. Parses the report in slices, so that other requests are served
 * between two slices. Returns the problem if the file is malformed or is not a settlement details report.
 */
export async function readReport(
  csv: Buffer,
  merchantAccount: string | null,
): Promise<SettlementReport | { readonly unreadable: string }> {
  const hash = createHash("sha256");
  const lines: AdyenReportLine[] = [];
  const sums = new Map<Currency, BatchSums>();
  let postedFrom: Date | null = null;
  let postedUntil: Date | null = null;
  let batch: string | null = null;
  let account = merchantAccount;
  try {
    for await (const line of readSettlementReport(slicesOf(csv, hash))) {
      batch ??= line.batchNumber;
      account ??= line.merchantAccount;
      if (batch === null)
        return {
          unreadable:
            "The settlement report has no batch number. Add the column 'Batch Number' to the report at Adyen.",
        };
      if (line.batchNumber !== batch) {
        return {
          unreadable:
            "The settlement report contains more than one batch. A report must contain exactly one batch.",
        };
      }
      if (line.merchantAccount !== account) {
        return {
          unreadable:
            "The settlement report contains more than one merchant account. A report must contain exactly one merchant account.",
        };
      }
      lines.push(line);
      const { currency } = line.net;
      sums.set(currency, withLine(sums.get(currency) ?? { currency, ...nothing }, line));
      if (line.kind !== "transaction") continue;
      if (!postedFrom || line.postedAt < postedFrom) postedFrom = line.postedAt;
      if (!postedUntil || line.postedAt > postedUntil) postedUntil = line.postedAt;
    }
  } catch (error) {
    if (error instanceof SettlementReportUnreadable || error instanceof CsvMalformed) {
      return { unreadable: error.message };
    }
    throw error;
  }
  if (batch === null || account === null) {
    return {
      unreadable:
        "The settlement report has no batch number. Add the column 'Batch Number' to the report at Adyen.",
    };
  }
  return {
    merchantAccount: account,
    batch,
    lines,
    sha256: hash.digest("hex"),
    postedFrom,
    postedUntil,
    sums: [...sums.values()],
    problem: problemOf([...sums.values()]),
  };
}

/** The size of a slice: about 150 lines, which take a few milliseconds to parse. */
const sliceBytes = 32 * 1024;

/** Returns the text in slices and adds each slice to the hash. The event loop can run other work after each slice. */
async function* slicesOf(file: Buffer, hash: Hash): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for (let from = 0; from < file.length; from += sliceBytes) {
    const slice = file.subarray(from, from + sliceBytes);
    hash.update(slice);
    // Keeps the first bytes of a character that continues in the next slice.
    yield decoder.decode(slice, { stream: true });
    await setImmediate();
  }
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

function withLine(before: BatchSums, line: AdyenReportLine): BatchSums {
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
 * Returns the problem if the lines of a currency do not add up to zero. The lines include the payout and the balance
 * carried to the next batch, so a sum other than zero shows that the file was cut off. The report has no trailer
 * record, so only the sum can show this.
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
