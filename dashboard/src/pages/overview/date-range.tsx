import { useUrlQuery } from "../../api/use-url-query.ts";
import {
  formatDay,
  formatHour,
  formatShortDay,
  formatShortHour,
} from "../../components/date-time.tsx";
import { lastDays, lastHours, type Period } from "./period.ts";

export type Range = Period & {
  readonly key: string;
  readonly label: string;
  /** The name of the last interval, which is still in progress. */
  readonly inProgress: string;
  readonly formatAt: (at: number) => string;
  /** Formats a point in time for the axis of a chart. */
  readonly formatAtTick: (at: number) => string;
};

const ranges = [
  { key: "1", label: "24 hours", count: 24, interval: "hour" },
  { key: "7", label: "7 days", count: 7, interval: "day" },
  { key: "30", label: "30 days", count: 30, interval: "day" },
  { key: "90", label: "90 days", count: 90, interval: "day" },
] as const;

/** The periods whose intervals are days. */
export const dailyRanges = ranges.filter(({ interval }) => interval === "day");

type RangeChoice = (typeof ranges)[number];

export function rangeOf(
  key = "30",
  now = Date.now() / 1000,
  choices: readonly RangeChoice[] = ranges,
): Range {
  const { count, interval, ...named } = choices.find((range) => range.key === key) ?? ranges[2];
  return interval === "hour"
    ? {
        ...named,
        ...lastHours(count, now),
        inProgress: "this hour",
        formatAt: formatHour,
        formatAtTick: formatShortHour,
      }
    : {
        ...named,
        ...lastDays(count, now),
        inProgress: "today",
        formatAt: formatDay,
        formatAtTick: formatShortDay,
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
    <fieldset className="flex min-w-0 flex-wrap gap-0.5 rounded-md bg-sunken p-0.5">
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
