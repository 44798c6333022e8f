/**
 * Returns the format of a date with its time and zone, such as "May 4, 2026 at 9:30 AM UTC". The zone is UTC if
 * `timeZone` is null.
 */
export function timeFormat(languageTag: string, timeZone: string | null): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(languageTag, {
    year: "numeric",
    month: "long",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZone: timeZone ?? "UTC",
    timeZoneName: "short",
  });
}
