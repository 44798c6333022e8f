import { useUrlQuery } from "../../api/use-url-query.ts";
import {
  formatDay,
  formatHour,
  formatShortDay,
  formatShortHour,
} from "../../components/date-time.tsx";
import { timeZoneInUse } from "../../components/time-zone.ts";

export type Range = {
  readonly key: string;
  readonly label: string;
  /**
   * The API query. The period starts and ends at a full hour, so that all requests within the hour share one cached
   * result.
   */
  readonly query: Readonly<Record<string, string | number>>;
  /** The API query for the previous period of the same length. */
  readonly previous: Readonly<Record<string, string | number>>;
  readonly formatAt: (at: number) => string;
  /** Formats a point in time for the axis of a chart. */
  readonly formatAtTick: (at: number) => string;
};

const hour = 3_600;

const ranges = [
  { key: "1", label: "24 hours", hours: 24, interval: "hour" },
  { key: "7", label: "7 days", hours: 7 * 24, interval: "day" },
  { key: "30", label: "30 days", hours: 30 * 24, interval: "day" },
  { key: "90", label: "90 days", hours: 90 * 24, interval: "day" },
] as const;

/** The periods that have at least two days. */
export const dailyRanges = ranges.filter(({ interval }) => interval === "day");

type RangeChoice = (typeof ranges)[number];

export function rangeOf(
  key = "30",
  now = Date.now() / 1000,
  choices: readonly RangeChoice[] = ranges,
): Range {
  const { hours, interval, ...named } = choices.find((range) => range.key === key) ?? ranges[2];
  const to = Math.ceil(now / hour) * hour;
  const from = to - hours * hour;
  const time_zone = timeZoneInUse();
  return {
    ...named,
    query: { from, to, interval, time_zone },
    previous: { from: from - hours * hour, to: from, interval, time_zone },
    formatAt: interval === "hour" ? formatHour : formatDay,
    formatAtTick: interval === "hour" ? formatShortHour : formatShortDay,
  };
}

/** A control that selects the period. The URL contains the selected period. */
export function RangePicker({
  chosen,
  ranges: choices = ranges,
}: {
  chosen: Range;
  ranges?: readonly RangeChoice[];
}) {
  const [, change] = useUrlQuery();
  return (
    <fieldset className="flex gap-0.5 rounded-md bg-sunken p-0.5">
      <legend className="sr-only">Period</legend>
      {choices.map(({ key, label }) => (
        <button
          key={key}
          type="button"
          aria-pressed={key === chosen.key}
          onClick={() => change({ range: key })}
          className="rounded-sm px-2.5 py-1 text-sm text-ink-soft hover:text-ink aria-pressed:bg-surface aria-pressed:font-medium aria-pressed:text-ink"
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}
