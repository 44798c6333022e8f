import pg from "pg";

const driverParser = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (
  text: string,
) => Date;

/**
 * Parses a `timestamptz` as the driver does, in a sixth of the time. Connections return times in UTC
 * (`prepareSession`), usually with a year of four digits: `2026-05-15 12:00:00.123456+00`. The driver parses any other
 * form.
 */
export function parseTime(text: string): Date {
  const end = text.length - offset.length;
  if (!text.endsWith(offset) || end < secondsEnd || text.charCodeAt(4) !== hyphen) {
    return driverParser(text);
  }
  const time = Date.UTC(
    digits(text, 0, 4),
    digits(text, 5, 7) - 1,
    digits(text, 8, 10),
    digits(text, 11, 13),
    digits(text, 14, 16),
    digits(text, 17, secondsEnd),
    end > secondsEnd
      ? digits(text, secondsEnd + 1, Math.min(end, millisecondsEnd)) *
          10 ** Math.max(0, millisecondsEnd - end)
      : 0,
  );
  // The driver parses years before 100, because `Date.UTC` adds 1900 to them.
  return text.charCodeAt(0) === digit0 && text.charCodeAt(1) === digit0
    ? driverParser(text)
    : new Date(time);
}

const offset = "+00";
const secondsEnd = "2026-05-15 12:00:00".length;
const millisecondsEnd = secondsEnd + ".123".length;
const hyphen = 0x2d;
const digit0 = 0x30;

function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let index = from; index < to; index++)
    number = number * 10 + text.charCodeAt(index) - digit0;
  return number;
}
