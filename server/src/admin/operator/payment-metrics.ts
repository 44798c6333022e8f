import type { MetricsPoint } from "@florin/contract/metrics.ts";
import type { Figures, ReadFigures } from "@florin/contract/operator.ts";
import type { Clock } from "../../core/clock.ts";
import { ttlCache } from "../../core/ttl-cache.ts";
import {
  type HourTally,
  hourMs,
  latencySteps,
  noSteps,
  seriesOf,
  tallyHours,
} from "../../insights/metrics/tally.ts";
import type { Database } from "../../platform/database/database.ts";
import { readCountedHours, readCountedLatencies, readUncounted } from "./payment-metrics.sql.ts";

/** Reads volume, approval rate and latency of the whole service. Results are cached for a minute. */
export type ReadServiceFigures = (filter: ReadFigures) => Promise<Figures>;

type Deps = { readonly database: Database; readonly clock: Clock };

const memoryMs = 60_000;
const windows = {
  hour: { hoursOfPoint: 1, points: 48 },
  day: { hoursOfPoint: 24, points: 30 },
} as const;

export function createFiguresCache(deps: Deps): ReadServiceFigures {
  const remembered = ttlCache(memoryMs, (key: string) => {
    const [mode, by] = key.split(" ") as [ReadFigures["mode"], ReadFigures["by"]];
    return readFigures(deps, { mode, by });
  });
  return ({ mode, by }) => remembered(`${mode} ${by}`);
}

async function readFigures(deps: Deps, { mode, by }: ReadFigures): Promise<Figures> {
  const { hoursOfPoint, points } = windows[by];
  // The range consists of whole points of the chart. The last point includes the current hour and is not complete yet.
  const thisHour = Math.floor(deps.clock.now().getTime() / hourMs);
  const to = (Math.floor(thisHour / hoursOfPoint) + 1) * hoursOfPoint;
  const from = to - points * hoursOfPoint;
  const starts = Array.from({ length: points }, (_, point) => from + point * hoursOfPoint);
  const tallies = await readTallies(deps, mode === "live", { from, to });
  const { total, data } = seriesOf(tallies, { from, to, starts });
  return {
    by,
    from: from * 3_600,
    to: to * 3_600,
    median_ms: total.latency?.p50_ms ?? null,
    p95_ms: total.latency?.p95_ms ?? null,
    periods: data.map(periodOf),
  };
}

/**
 * Returns the stored tallies. For the few payments that are not in a stored tally yet, computes tallies from the
 * charges.
 */
async function readTallies(
  { database }: Deps,
  livemode: boolean,
  hours: { from: number; to: number },
): Promise<HourTally[]> {
  const filter = { livemode, hours };
  const [counted, latencies, uncounted] = await Promise.all([
    readCountedHours(database.read, filter),
    readCountedLatencies(database.read, filter),
    readUncounted(database.read, filter),
  ]);
  const stepsOf = Map.groupBy(latencies, ({ hour }) => hour);
  const known = counted.map(({ captured, ...hour }): HourTally => {
    const steps = new Array<number>(latencySteps.length + 1).fill(0);
    // The latencies are summed over all currencies, so they are added to the hour's first currency only.
    for (const { step, responses } of stepsOf.get(hour.hour) ?? []) steps[step] = responses;
    stepsOf.delete(hour.hour);
    return {
      ...hour,
      capturedMinor: captured,
      steps: noSteps,
      declines: {},
      latencies: steps,
      open: 0,
    };
  });
  return [...known, ...tallyHours(uncounted)];
}

function periodOf(point: MetricsPoint): Figures["periods"][number] {
  const { start, payments, succeeded, failed, latency, volume } = point;
  return {
    at: start,
    charges: payments,
    approved: succeeded,
    declined: failed,
    undecided: payments - succeeded - failed,
    median_ms: latency?.p50_ms ?? null,
    p95_ms: latency?.p95_ms ?? null,
    volume: Object.fromEntries(volume.map(({ currency, amount }) => [currency, amount])),
  };
}
