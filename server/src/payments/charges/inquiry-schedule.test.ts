import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newId } from "../../core/ids.ts";
import { processingCharge } from "./charge.fixture.ts";
import {
  cancellationAgesMs,
  challengeLifeMs,
  createLeaseMs,
  dueAt,
  nextInquiry,
} from "./inquiry-schedule.ts";

const now = new Date("2026-05-15T12:00:00Z");
const charge = processingCharge({ account: newId("acct", now), livemode: false }, now);
const intervalMs = (inquiries: number, random = 0.5) => {
  const next = nextInquiry(inquiries, now, random);
  return next && next.getTime() - now.getTime();
};
const minute = 60_000;
const hourMs = 60 * minute;

test("inquiries are sent after 3, 10 and 30 seconds, and then less often, up to once an hour", () => {
  const intervals = Array.from({ length: 100 }, (_, count) => intervalMs(count)).filter(
    (one) => one !== null,
  );
  assert.deepEqual(intervals.slice(0, 11), [
    3_000,
    10_000,
    30_000,
    2 * minute,
    ...Array(6).fill(5 * minute),
    30 * minute,
  ]);
  assert.deepEqual(
    intervals,
    intervals.toSorted((a, b) => a - b),
  );
  assert.equal(intervals.at(-1), 60 * minute);
});

test("inquiries end after 72 hours, and manual review follows", () => {
  let total = 0;
  let count = 0;
  for (let interval = intervalMs(0); interval !== null; interval = intervalMs(++count))
    total += interval;
  const hours = total / (60 * minute);
  assert.ok(hours >= 71.5 && hours <= 73, `${hours} hours`);
  assert.equal(nextInquiry(count, now, 0.5), null);
});

test("each delay varies by at most 20 percent", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 86 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (count, random) => {
        const usual = intervalMs(count) as number;
        const interval = intervalMs(count, random) as number;
        assert.ok(interval >= usual * 0.8 - 1 && interval <= usual * 1.2 + 1);
      },
    ),
  );
  assert.deepEqual([intervalMs(0, 0), intervalMs(0, 1)], [2_400, 3_600]);
});

test("a charge whose request is still running is inquired about after 30 seconds", () => {
  assert.equal(dueAt(charge, now, 0.9)?.getTime(), now.getTime() + createLeaseMs);
});

test("a charge that waits for the acquirer follows the inquiry schedule, and a final one has no inquiry", () => {
  const waiting = { ...charge, pendingReason: "outcome_unknown", inquiries: 1 } as const;
  assert.equal(dueAt(waiting, now, 0.5)?.getTime(), now.getTime() + 10_000);
  assert.equal(dueAt({ ...waiting, pendingReason: "manual_review" }, now, 0.5), null);
  const finalized = {
    ...charge,
    finalizedAt: now,
    capturedMinor: 1999,
    refundedMinor: 0,
    disputedMinor: 0,
  };
  assert.equal(dueAt({ ...finalized, status: "succeeded" }, now, 0.5), null);
  assert.equal(dueAt({ ...charge, status: "canceled", finalizedAt: now }, now, 0.5), null);
});

test("cancellations by our reference are sent at fixed ages, and other reversals at the usual intervals", () => {
  const canceled = {
    ...charge,
    processor: "adyen",
    pendingReason: "outcome_unknown",
    reversalPending: true,
    inquiries: 8,
  } as const;
  const at = (ageMs: number) => new Date(now.getTime() + ageMs);
  const ages = cancellationAgesMs.adyen as readonly number[];
  assert.deepEqual(
    ages.map((ageMs) => ageMs / minute),
    [15, 60, 6 * 60, 24 * 60, 72 * 60],
  );
  for (const [index, ageMs] of ages.entries()) {
    const next = ages[index + 1];
    assert.deepEqual(dueAt(canceled, at(ageMs), 0), next === undefined ? null : at(next));
    if (next !== undefined) {
      assert.deepEqual(dueAt(canceled, at(ageMs), 1), at(next + 5 * minute));
    }
  }
  const later = at(100 * 60 * minute);
  const restarted = { ...canceled, inquiries: 0 };
  assert.equal(dueAt(restarted, later, 0.5)?.getTime(), later.getTime() + 3_000);
  const found = { ...canceled, acquirerReference: "993617895204576J" };
  assert.equal(dueAt(found, at(hourMs), 0.5)?.getTime(), at(hourMs).getTime() + 5 * minute);
  const atSimulator = { ...canceled, processor: "simulator" } as const;
  assert.equal(dueAt(atSimulator, at(hourMs), 0.5)?.getTime(), at(hourMs).getTime() + 5 * minute);
});

test("a challenge ends a short margin after the time that EMV 3-D Secure allows", () => {
  const due = dueAt({ ...charge, status: "requires_action" }, now, 0.5);
  assert.equal(due?.getTime(), now.getTime() + challengeLifeMs);
});
