import { maxMetricsDays, type ReadPaymentMetrics } from "@florin/contract/metrics.ts";
import { ApiError } from "../../core/api-error.ts";
import { type HourRange, hourMs } from "./tally.ts";

const dayMs = 24 * hourMs;
const defaultDays = 30;

type RequestedRange = Pick<ReadPaymentMetrics, "from" | "to" | "interval" | "time_zone">;

/** Returns the requested range, extended to full intervals. */
export function metricsRange(query: RequestedRange, now: Date): HourRange {
  const { interval = "day", time_zone: timeZone = "UTC" } = query;
  const toMs = query.to === undefined ? now.getTime() : query.to * 1000;
  // The default start must not be before 1970, which is the earliest time in the API.
  const defaultFromMs = Math.max(0, toMs - defaultDays * dayMs);
  const fromMs = query.from === undefined ? defaultFromMs : query.from * 1000;
  if (toMs <= fromMs) {
    throw new ApiError(
      "parameter_invalid",
      "`from` must be before `to`. Send an earlier `from` or a later `to`.",
      {
        param: "from",
      },
    );
  }
  const maxDays = maxMetricsDays[interval];
  const range =
    toMs - fromMs > maxDays * dayMs
      ? null
      : interval === "hour"
        ? hoursOf(fromMs, toMs)
        : daysOf(fromMs, toMs, timeZone);
  if (range && range.starts.length <= (interval === "hour" ? maxDays * 24 : maxDays)) return range;
  throw new ApiError(
    "parameter_invalid",
    `The range must be at most ${maxDays} days with the interval '${interval}'. Send a later \`from\` or an earlier \`to\`.`,
    { param: "from" },
  );
}

function hoursOf(fromMs: number, toMs: number): HourRange {
  const from = Math.floor(fromMs / hourMs);
  const to = Math.ceil(toMs / hourMs);
  return { from, to, starts: Array.from({ length: to - from }, (_, index) => from + index) };
}

/**
 * Returns the days of a time zone, which have 23 or 25 hours if the clocks change. Payments are counted by the hours of
 * UTC. If the zone's offset is not a whole number of hours, a day therefore starts with its first full hour in UTC.
 */
function daysOf(fromMs: number, toMs: number, timeZone: string): HourRange {
  let day = Temporal.Instant.fromEpochMilliseconds(fromMs)
    .toZonedDateTimeISO(timeZone)
    .startOfDay();
  const firstHour = () => Math.ceil(day.epochMilliseconds / hourMs);
  const from = firstHour();
  const starts: number[] = [];
  while (day.epochMilliseconds < toMs) {
    starts.push(firstHour());
    day = day.add({ days: 1 }).startOfDay();
  }
  return { from, to: firstHour(), starts };
}
