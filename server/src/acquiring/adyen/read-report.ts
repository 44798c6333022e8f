import { createHash } from "node:crypto";
import { addUpReport } from "../add-up-report.ts";
import { CsvMalformed } from "../csv.ts";
import { slicesOf } from "../report-slices.ts";
import type { SettlementReport } from "../settlement-report.ts";
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
          unreadable: `The settlement report has lines of the merchant account '${line.merchantAccount}'. All lines must belong to '${account}'.`,
        };
      }
      lines.push(line);
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
        "The settlement report has no lines, so Florin does not know its batch. Compare it with the report in Adyen's Customer Area.",
    };
  }
  return addUpReport({ merchantAccount: account, batch, lines, sha256: hash.digest("hex") });
}
