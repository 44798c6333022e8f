import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { dayAt, formatterWith, setTimeZone, startOfDay } from "./time-zone.ts";

afterEach(() => setTimeZone(null));

const at = (text: string) => Date.parse(text) / 1000;

test("a day begins at midnight in the account's time zone, even when the clocks change", () => {
  for (const [zone, day, start] of [
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00Z"],
    ["Europe/Berlin", "2026-03-30", "2026-03-29T22:00Z"],
    ["America/New_York", "2026-11-01", "2026-11-01T04:00Z"],
    ["America/New_York", "2026-11-02", "2026-11-02T05:00Z"],
    ["Asia/Kolkata", "2026-01-01", "2025-12-31T18:30Z"],
    ["Pacific/Auckland", "2026-06-01", "2026-05-31T12:00Z"],
  ] as const) {
    setTimeZone(zone);
    assert.equal(startOfDay(day), at(start), `${zone} ${day}`);
  }
  setTimeZone("Europe/Berlin");
  assert.equal(startOfDay("2026-03-29", 1), at("2026-03-29T22:00Z"));
});

test("a day begins when the clocks change, if they skip midnight", () => {
  for (const [zone, day, start] of [
    ["America/Santiago", "2026-09-06", "2026-09-06T04:00Z"],
    ["America/Havana", "2026-03-08", "2026-03-08T05:00Z"],
    ["Atlantic/Azores", "2026-03-29", "2026-03-29T01:00Z"],
    ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00Z"],
  ] as const) {
    setTimeZone(zone);
    assert.equal(startOfDay(day), at(start), `${zone} ${day}`);
  }
});

test("the day of a date field is the day in the account's time zone", () => {
  const newYear = new Date("2026-01-01T00:30Z");
  setTimeZone("America/New_York");
  assert.equal(dayAt(newYear), "2025-12-31");
  setTimeZone("Asia/Tokyo");
  assert.equal(dayAt(newYear), "2026-01-01");
});

test("times and days are shown in the account's time zone", () => {
  const newYear = new Date("2026-01-01T00:30Z");
  const formatter = formatterWith({ year: "numeric", hour: "numeric", minute: "numeric" });
  setTimeZone("America/New_York");
  assert.match(formatter().format(newYear), /2025.*7:30/);
  setTimeZone("Asia/Tokyo");
  assert.match(formatter().format(newYear), /2026.*9:30/);
});
