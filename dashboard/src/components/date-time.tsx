const short = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const shortWithYear = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const day = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });

export function formatTime(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  const format = date.getFullYear() === new Date().getFullYear() ? short : shortWithYear;
  return format.format(date);
}

export function formatDay(unixSeconds: number): string {
  return day.format(new Date(unixSeconds * 1000));
}

export function formatHour(unixSeconds: number): string {
  return short.format(new Date(unixSeconds * 1000));
}

/** A moment, in the reader's own time zone; the whole of it, with the zone, while it is pointed at. */
export function DateTime({ at, only }: { at: number; only?: "day" }) {
  const date = new Date(at * 1000);
  return (
    <time dateTime={date.toISOString()} title={whole.format(date)} className="whitespace-nowrap">
      {only === "day" ? formatDay(at) : formatTime(at)}
    </time>
  );
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** `3 hr. ago`, for lists of what has just happened. */
export function Ago({ at }: { at: number }) {
  const seconds = at - Date.now() / 1000;
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  const date = new Date(at * 1000);
  return (
    <time dateTime={date.toISOString()} title={whole.format(date)} className="whitespace-nowrap">
      {Math.abs(seconds) > 30 * 86_400
        ? formatDay(at)
        : relative.format(Math.round(seconds / size), unit)}
    </time>
  );
}
