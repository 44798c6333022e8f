import assert from "node:assert/strict";
import type { Clock } from "../../core/clock.ts";
import type { AccountId } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { connectors } from "../connectors.ts";
import type { LiveProcessorName, SettlementSource } from "../processor.ts";
import { type SettlementTotal, writeEnd, writeHead, writeLine } from "../settlement-file.ts";
import { listBatchesOf, listReportLines } from "./settlement-report.sql.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** The longest time between the receipt of a report and the commit of its lines. */
const commitWithinMs = 60_000;

/**
 * Returns the source of an account's settlement files in live mode. The file of a day contains the account's lines from
 * the reports received on that day. The posting time of a line is the time at which its report was received. The times
 * in the report are not used, because they state an abbreviation such as `CET` instead of an offset from UTC.
 */
export function settlementsOfReports(
  read: Sql,
  clock: Clock,
  acquirers: readonly LiveProcessorName[],
): SettlementSource {
  const [name] = acquirers;
  assert.ok(name, "The account has no acquirer.");
  return {
    name,
    // A payment counts as missing only after the settlement time of the slowest acquirer, because an account's files do
    // not separate its acquirers.
    settlesWithinMs: Math.max(...acquirers.map((one) => connectors[one].settlesWithinMs)),
    async settlementFile({ account, day }) {
      const from = new Date(`${day}T00:00:00Z`);
      const end = from.getTime() + dayMs;
      const until = new Date(Math.min(end, clock.now().getTime() - commitWithinMs));
      if (until <= from) return { kind: "not_ready" };
      const received = { from, until: new Date(end) };
      return { kind: "file", text: fileOf(read, account, day, until, received) };
    },
  };
}

async function* fileOf(
  read: Sql,
  account: AccountId,
  day: string,
  until: Date,
  received: { readonly from: Date; readonly until: Date },
): AsyncGenerator<string> {
  const totals = new Map<string, SettlementTotal>();
  yield writeHead(day, until);
  for (const batch of await listBatchesOf(read, account, received)) {
    let lines = await listReportLines(read, account, batch, 0);
    while (lines.length > 0) {
      let text = "";
      for (const line of lines) {
        const { currency, amountMinor, feeMinor } = line;
        const total = totals.get(currency) ?? { currency, lines: 0, amountMinor: 0, feeMinor: 0 };
        totals.set(currency, {
          currency,
          lines: total.lines + 1,
          amountMinor: total.amountMinor + amountMinor,
          feeMinor: total.feeMinor + feeMinor,
        });
        text += writeLine({ ...line, postedAt: batch.receivedAt });
      }
      yield text;
      lines = await listReportLines(read, account, batch, lines.at(-1)?.line ?? 0);
    }
  }
  yield writeEnd([...totals.values()]);
}
