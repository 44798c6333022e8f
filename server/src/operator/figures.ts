import type { Figures, ReadFigures } from "@florin/contract/operator.ts";
import type { Database } from "../database/database.ts";
import { briefly } from "../primitives/briefly.ts";
import { type Clock, unixSeconds } from "../primitives/clock.ts";
import { readPeriods, readVolumes } from "./figures.sql.ts";

/** Volume, approvals and latency of the whole service; the same answer for a minute, however many look at it. */
export type ReadServiceFigures = (asked: ReadFigures) => Promise<Figures>;

const memoryMs = 60_000;
const hourMs = 60 * 60 * 1000;
const windows = {
  hour: { ms: hourMs, periods: 48 },
  day: { ms: 24 * hourMs, periods: 30 },
} as const;

export function openFigures(deps: { database: Database; clock: Clock }): ReadServiceFigures {
  const remembered = briefly(memoryMs, (key: string) => {
    const [mode, by] = key.split(" ") as [ReadFigures["mode"], ReadFigures["by"]];
    return readFigures(deps, { mode, by });
  });
  return ({ mode, by }) => remembered(`${mode} ${by}`);
}

async function readFigures(
  { database, clock }: { database: Database; clock: Clock },
  { mode, by }: ReadFigures,
): Promise<Figures> {
  const { ms, periods } = windows[by];
  // Whole periods, of which the last is under way.
  const last = Math.floor(clock.now().getTime() / ms) * ms;
  const first = last - (periods - 1) * ms;
  const asked = { livemode: mode === "live", by, from: new Date(first) };
  const [counted, volumes] = await Promise.all([
    readPeriods(database.read, asked),
    readVolumes(database.read, asked),
  ]);
  const countedAt = new Map(counted.map((row) => [row.at.getTime(), row]));
  const volumesAt = Map.groupBy(volumes, (row) => row.at.getTime());
  return {
    by,
    from: first / 1000,
    to: (last + ms) / 1000,
    periods: Array.from({ length: periods }, (_, index) => {
      const start = first + index * ms;
      const row = countedAt.get(start);
      const taken = volumesAt.get(start) ?? [];
      return {
        at: unixSeconds(new Date(start)),
        charges: row?.charges ?? 0,
        approved: row?.approved ?? 0,
        declined: row?.declined ?? 0,
        undecided: row?.undecided ?? 0,
        median_ms: rounded(row?.median_ms),
        p95_ms: rounded(row?.p95_ms),
        volume: Object.fromEntries(taken.map(({ currency, amount }) => [currency, amount])),
      };
    }),
  };
}

function rounded(milliseconds: number | null | undefined): number | null {
  return milliseconds == null ? null : Math.round(milliseconds);
}
