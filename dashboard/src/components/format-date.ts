import { formatterWith } from "./time-zone.ts";

const date = formatterWith({ timeZone: "UTC", year: "numeric", month: "short", day: "numeric" });

/** Formats a calendar date of the API, `2026-11-28`, as the dashboard formats the day of a time: `Nov 28, 2026`. */
export function formatDate(day: string): string {
  const at = Date.parse(day);
  return Number.isNaN(at) ? day : date().format(new Date(at));
}
