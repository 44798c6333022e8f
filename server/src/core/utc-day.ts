/** Days are UTC days in the form `2026-01-31`. */

export const dayMs = 24 * 60 * 60 * 1000;

export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export function endOf(day: string): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) + dayMs);
}

/** Returns every day from the day of `from` to the day of `until`, oldest first. */
export function daysFrom(from: Date, until: Date): string[] {
  const days: string[] = [];
  for (let day = dayOf(from); day <= dayOf(until); day = dayOf(endOf(day))) days.push(day);
  return days;
}

/** Returns whether the day exists. `Date.parse` accepts February 31 and returns a day in March. */
export function isDay(text: string): boolean {
  const begin = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(begin) && dayOf(new Date(begin)) === text;
}
