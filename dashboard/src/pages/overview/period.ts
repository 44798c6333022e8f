import type { MetricsPoint, PaymentMetrics } from "@florin/contract/metrics.ts";
import { dayAt, startOfDay, timeZoneInUse } from "../../components/time-zone.ts";

type Query = Readonly<Record<string, string | number>>;

/** The API queries of a period and of the one before it. Both have the same number of intervals. */
export type Period = {
  /** Ends at a full hour or at midnight, so that all requests within the hour share one cached result. */
  readonly query: Query;
  readonly previous: Query;
};

const hour = 3_600;

/** Returns the current hour and the hours before it, `count` in total. */
export function lastHours(count: number, now: number): Period {
  const to = Math.ceil(now / hour) * hour;
  const from = to - count * hour;
  const shared = { interval: "hour", time_zone: timeZoneInUse() };
  return {
    query: { from, to, ...shared },
    previous: { from: from - count * hour, to: from, ...shared },
  };
}

/**
 * Returns the current day and the `count` days before it. The periods begin at midnight and not a multiple of 24 hours
 * ago, because a day on which the clocks change has 23 or 25 hours.
 */
export function lastDays(count: number, now: number): Period {
  const today = dayAt(new Date(now * 1000));
  // In time zones whose offset is not in full hours, the next full hour can be after midnight.
  const to = Math.min(Math.ceil(now / hour) * hour, startOfDay(today, 1));
  const shared = { interval: "day", time_zone: timeZoneInUse() };
  return {
    query: { from: startOfDay(today, -count), to, ...shared },
    previous: {
      from: startOfDay(today, -2 * count),
      to: startOfDay(today, 1 - count),
      ...shared,
    },
  };
}

/**
 * Returns the total of all intervals except the last one, for a comparison with the previous period. The last interval
 * of the current period is in progress, and both totals must have the same number of intervals.
 */
export function comparableTotal(
  { data }: Pick<PaymentMetrics, "data">,
  of: (point: MetricsPoint) => number,
): number {
  return data.slice(0, -1).reduce((total, point) => total + of(point), 0);
}
