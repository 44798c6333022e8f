import type { SettlementRequest, SettlementSource } from "@florin/server/acquiring/processor.ts";
import {
  type SettlementLine,
  type SettlementTotal,
  writeEnd,
  writeHead,
  writeLine,
} from "@florin/server/acquiring/settlement-file.ts";
import type { Clock } from "@florin/server/core/clock.ts";
import type { Database } from "@florin/server/platform/database/database.ts";
import { escalateInquiries } from "./dispute-case.sql.ts";
import { listPosted } from "./settlement.sql.ts";

/** Creates the simulated acquirer's settlement files on request. The file of a finished day never changes. */
export function createSettlement(database: Database, clock: Clock): SettlementSource {
  return {
    name: "simulator",
    settlesWithinMs: 0,
    async settlementFile({ account, day }: SettlementRequest) {
      const now = clock.now();
      const from = new Date(`${day}T00:00:00Z`);
      if (from > now) return { kind: "not_ready" };
      const dayEnds = new Date(from.getTime() + dayMs);
      const until = dayEnds < now ? dayEnds : now;
      await database.autocommit((tx) => escalateInquiries(tx, account, until));
      const lines = await listPosted(database.read, account, from, until);
      return { kind: "file", text: write(day, until, lines) };
    },
  };
}

const dayMs = 24 * 60 * 60 * 1000;

async function* write(
  day: string,
  until: Date,
  lines: readonly SettlementLine[],
): AsyncGenerator<string> {
  yield writeHead(day, until);
  for (const line of lines) yield writeLine(line);
  yield writeEnd(totalsOf(lines));
}

function totalsOf(lines: readonly SettlementLine[]): SettlementTotal[] {
  return [...Map.groupBy(lines, ({ currency }) => currency)].map(([currency, linesOfCurrency]) => ({
    currency,
    lines: linesOfCurrency.length,
    amountMinor: linesOfCurrency.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    feeMinor: linesOfCurrency.reduce((sum, { feeMinor }) => sum + feeMinor, 0),
  }));
}
