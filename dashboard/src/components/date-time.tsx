import { formatterWith } from "./time-zone.ts";

const short = formatterWith({
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});
const shortWithYear = formatterWith({
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});
const whole = formatterWith({ dateStyle: "full", timeStyle: "long" });
/** For logs, because people compare these times with the logs of the merchant's server. */
const precise = formatterWith({
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});
const preciseInTable = formatterWith({
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
});
const day = formatterWith({ year: "numeric", month: "short", day: "numeric" });

const year = formatterWith({ year: "numeric" });

function formatFor(date: Date): Intl.DateTimeFormat {
  const isThisYear = year().format(date) === year().format(new Date());
  return isThisYear ? short() : shortWithYear();
}

export function formatTime(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  return formatFor(date).format(date);
}

export function formatDay(unixSeconds: number): string {
  return day().format(new Date(unixSeconds * 1000));
}

const hour = formatterWith({ hour: "numeric" });

const shortDay = formatterWith({ month: "short", day: "numeric" });

/** Formats a day for the axis of a chart. */
export function formatShortDay(unixSeconds: number): string {
  return shortDay().format(new Date(unixSeconds * 1000));
}

/** The operator's charts use days in UTC, because they count payments of merchants in all time zones. */
const utcDay = formatterWith({ timeZone: "UTC", year: "numeric", month: "short", day: "numeric" });
const shortUtcDay = formatterWith({ timeZone: "UTC", month: "short", day: "numeric" });

/** Formats the day of a point in a chart of the operator. */
export function formatUtcDay(unixSeconds: number): string {
  return utcDay().format(new Date(unixSeconds * 1000));
}

/** Formats a day for the axis of a chart of the operator. */
export function formatShortUtcDay(unixSeconds: number): string {
  return shortUtcDay().format(new Date(unixSeconds * 1000));
}

/** Formats a full hour for the axis of a chart. */
export function formatShortHour(unixSeconds: number): string {
  return hour().format(new Date(unixSeconds * 1000));
}

export function formatHour(unixSeconds: number): string {
  return short().format(new Date(unixSeconds * 1000));
}

/** Returns the name of the time zone at a time: `CET`, `GMT+1`, `UTC`. */
function timeZoneName(date: Date): string {
  const parts = precise().formatToParts(date);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** The title of a column with the times of a log: `Time (CET)`. */
export function logTimeTitle(title: string): string {
  return `${title} (${timeZoneName(new Date())})`;
}

/** The time of a log entry, with seconds and the time zone. */
export function LogTime({ at }: { at: number }) {
  const date = new Date(at * 1000);
  return (
    <time dateTime={date.toISOString()} title={whole().format(date)} className="tabular-nums">
      {precise().format(date)}
    </time>
  );
}

/** A time in the account's or the reader's time zone. The full time with the zone is in the tooltip. */
export function DateTime({ at, only }: { at: number; only?: "day" }) {
  const date = new Date(at * 1000);
  return (
    <time dateTime={date.toISOString()} title={whole().format(date)} className="whitespace-nowrap">
      {only === "day" ? formatDay(at) : formatTime(at)}
    </time>
  );
}

/** A time for tables: in narrow tables the time of day is below the day. `seconds` is for the tables of logs. */
export function DayAndTime({ at, seconds = false }: { at: number; seconds?: boolean }) {
  const date = new Date(at * 1000);
  const parts = (seconds ? preciseInTable() : formatFor(date)).formatToParts(date);
  const hour = parts.findIndex(({ type }) => type === "hour");
  const text = (some: typeof parts) => some.map(({ value }) => value).join("");
  return (
    <time dateTime={date.toISOString()} title={whole().format(date)} className="whitespace-nowrap">
      {text(parts.slice(0, Math.max(hour - 1, 0)))}
      {hour > 0 && <span className="@max-xl:hidden">{parts[hour - 1]?.value}</span>}
      <span className="@max-xl:block @max-xl:text-sm @max-xl:text-ink-soft">
        {text(parts.slice(Math.max(hour, 0)))}
      </span>
    </time>
  );
}

let relative: Intl.RelativeTimeFormat | undefined;
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** A relative time, `3 hr. ago`, for lists of recent items. */
export function Ago({ at }: { at: number }) {
  const seconds = at - Date.now() / 1000;
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  const date = new Date(at * 1000);
  // This formatter is created on first use, because pages without relative times do not need it.
  relative ??= new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
  return (
    <time dateTime={date.toISOString()} title={whole().format(date)} className="whitespace-nowrap">
      {Math.abs(seconds) > 30 * 86_400
        ? formatDay(at)
        : relative.format(Math.round(seconds / size), unit)}
    </time>
  );
}
