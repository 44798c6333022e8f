/**
 * The time zone in which the dashboard shows times: the account's, or else the reader's. It is a setting of the module
 * and not of a React context, because functions outside components format times too.
 */
let accountTimeZone: string | undefined;

export function setTimeZone(name: string | null): void {
  accountTimeZone = name ?? undefined;
}

let readerTimeZone: string | undefined;

/** Returns the name of the time zone, for requests of figures by day. */
export function timeZoneInUse(): string {
  if (accountTimeZone !== undefined) return accountTimeZone;
  readerTimeZone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return readerTimeZone;
}

/**
 * Returns a function that returns the formatter for the time zone of the options, or else for the current one. The
 * formatters are cached, because creating one takes milliseconds.
 */
export function formatterWith(
  options: Intl.DateTimeFormatOptions,
  locale?: string,
): () => Intl.DateTimeFormat {
  const formatters = new Map<string | undefined, Intl.DateTimeFormat>();
  return () => {
    let formatter = formatters.get(accountTimeZone);
    if (!formatter) {
      const zone = accountTimeZone === undefined ? {} : { timeZone: accountTimeZone };
      formatter = new Intl.DateTimeFormat(locale, { ...zone, ...options });
      formatters.set(accountTimeZone, formatter);
    }
    return formatter;
  };
}

const numericDay = formatterWith({ year: "numeric", month: "2-digit", day: "2-digit" }, "en-US");

/** Returns the day at a time as the value of a date field: `2026-03-29`. */
export function dayAt(date: Date): string {
  const parts = numericDay().formatToParts(date);
  const value = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((part) => part.type === type)?.value ?? "";
  return `${value("year")}-${value("month")}-${value("day")}`;
}

/** Returns the Unix seconds of the start of a day, such as `2026-03-29`, plus a number of days. */
export function startOfDay(day: string, daysLater = 0): number {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  if (accountTimeZone === undefined) {
    return Math.floor(new Date(year, month - 1, date + daysLater).getTime() / 1000);
  }
  const asUtc = Date.UTC(year, month - 1, date + daysLater) / 1000;
  // `asUtc` is the day's midnight in UTC. On days when the clocks change, the offset at that time can differ from the
  // offset at local midnight.
  const near = asUtc - offsetAt(asUtc);
  const midnight = asUtc - offsetAt(near);
  // If the clocks skip midnight, as in Chile, the offsets before and after the change yield two times. The later one is
  // the time of the change.
  return Math.max(midnight, asUtc - offsetAt(midnight));
}

const numericTime = formatterWith(
  {
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  },
  "en-US",
);

/**
 * Returns the offset of the current time zone from UTC at the given time, in seconds. The offset is positive if the
 * local time is ahead of UTC.
 */
function offsetAt(unixSeconds: number): number {
  const parts = numericTime().formatToParts(unixSeconds * 1000);
  const value = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(
    value("year"),
    value("month") - 1,
    value("day"),
    value("hour"),
    value("minute"),
    value("second"),
  );
  return local / 1000 - unixSeconds;
}
