import type { BalanceTransaction } from "@florin/contract/balance.ts";
import { amountCell, csvLine, timeCell } from "../../platform/http/csv.ts";

const columns = [
  "id",
  "created",
  "available_on",
  "type",
  "currency",
  "amount",
  "fee",
  "net",
  "source",
] as const;

export const statementHead = csvLine(columns);

/**
 * Returns one CSV line of a statement. It contains only IDs, times and amounts, which no spreadsheet interprets as a
 * formula.
 */
export function statementLine(one: BalanceTransaction): string {
  return csvLine([
    one.id,
    timeCell(one.created),
    one.available_on === null ? "" : timeCell(one.available_on),
    one.type,
    one.currency,
    amountCell(one.amount, one.currency),
    amountCell(one.fee, one.currency),
    amountCell(one.net, one.currency),
    one.source,
  ]);
}
