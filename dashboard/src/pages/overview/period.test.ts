import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { setTimeZone } from "../../components/time-zone.ts";
import { comparableTotal, lastDays, lastHours } from "./period.ts";

afterEach(() => setTimeZone(null));

const at = (text: string) => Date.parse(text) / 1000;

test("a period of days begins at midnight, even if the clocks change in it", () => {
  setTimeZone("Europe/Berlin");
  for (const [now, from, to] of [
    // The clocks were set back on October 25 and forward on March 29.
    ["2026-10-28T22:30Z", "2026-10-20T22:00Z", "2026-10-28T23:00Z"],
    ["2026-10-28T23:30Z", "2026-10-21T22:00Z", "2026-10-29T00:00Z"],
    ["2026-03-31T21:30Z", "2026-03-23T23:00Z", "2026-03-31T22:00Z"],
    ["2026-03-31T22:30Z", "2026-03-24T23:00Z", "2026-03-31T23:00Z"],
  ] as const) {
    const { query } = lastDays(7, at(now));
    assert.equal(query.from, at(from), now);
    assert.equal(query.to, at(to), now);
  }
});

test("a period of days ends today, even if midnight is not at a full hour", () => {
  for (const [zone, now, to] of [
    ["Asia/Kolkata", "2026-10-28T17:50Z", "2026-10-28T18:00Z"],
    ["Asia/Kolkata", "2026-10-28T18:20Z", "2026-10-28T18:30Z"],
    ["Asia/Kolkata", "2026-10-28T18:40Z", "2026-10-28T19:00Z"],
    ["Asia/Kathmandu", "2026-10-28T18:10Z", "2026-10-28T18:15Z"],
  ] as const) {
    setTimeZone(zone);
    assert.equal(lastDays(7, at(now)).query.to, at(to), `${zone} ${now}`);
  }
});

test("the previous period of days ends with the day on which the current period begins", () => {
  setTimeZone("Europe/Berlin");
  const { query, previous } = lastDays(7, at("2026-10-28T12:00Z"));
  assert.equal(query.from, at("2026-10-20T22:00Z"));
  assert.equal(previous.from, at("2026-10-13T22:00Z"));
  assert.equal(previous.to, at("2026-10-21T22:00Z"));
});

test("the previous period of hours ends where the current period begins", () => {
  const { query, previous } = lastHours(24, at("2026-10-28T12:10Z"));
  assert.equal(query.from, at("2026-10-27T13:00Z"));
  assert.equal(query.to, at("2026-10-28T13:00Z"));
  assert.equal(previous.from, at("2026-10-26T13:00Z"));
  assert.equal(previous.to, query.from);
});

test("a comparison of two periods leaves out the interval in progress", () => {
  const point = (payments: number) => ({
    start: 0,
    payments,
    succeeded: 0,
    failed: 0,
    success_rate: null,
    volume: [],
    latency: null,
  });
  const total = (...payments: number[]) =>
    comparableTotal({ data: payments.map(point) }, ({ payments }) => payments);
  // Ten payments a day. Shortly after midnight, today has none.
  assert.equal(total(10, 10, 10, 0), total(10, 10, 10, 10));
});
