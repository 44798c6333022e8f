import assert from "node:assert/strict";
import { test } from "node:test";
import { type Attempts, evaluateAttempt } from "./attempts.ts";

const subject = { free: 5, fadesInMs: 60 * 60_000 };
const start = new Date("2026-11-21T12:00:00Z");
const later = (seconds: number) => new Date(start.getTime() + seconds * 1_000);
const never: Attempts = { failures: 0, lastAt: start, nextAt: start };

test("after five failures the wait doubles with each further one, up to 15 minutes", () => {
  const waits: number[] = [];
  let known = never;
  let now = start;
  for (let tries = 0; tries < 15; tries++) {
    const evaluated = evaluateAttempt(known, subject, now);
    assert.ok(evaluated.kind === "go");
    known = evaluated.after;
    waits.push((known.nextAt.getTime() - now.getTime()) / 1_000);
    now = known.nextAt;
  }
  assert.deepEqual(waits, [0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900]);
});

test("an attempt during the wait is rejected with the remaining time and does not extend the wait", () => {
  const known = { failures: 7, lastAt: start, nextAt: later(20) };
  assert.deepEqual(evaluateAttempt(known, subject, later(0.5)), { kind: "wait", seconds: 20 });
  assert.deepEqual(evaluateAttempt(known, subject, later(19)), { kind: "wait", seconds: 1 });
  assert.equal(evaluateAttempt(known, subject, later(20)).kind, "go");
});

test("a concurrent attempt that read the clock before the last one does not wait", () => {
  const first = evaluateAttempt(never, subject, later(1));
  assert.ok(first.kind === "go");
  assert.equal(evaluateAttempt(first.after, subject, later(0.998)).kind, "go");
});

test("the tenth failure, and each one after it, locks for half an hour", () => {
  const waits: number[] = [];
  let known = never;
  let now = start;
  for (let tries = 0; tries < 12; tries++) {
    const evaluated = evaluateAttempt(known, { ...subject, locks: true }, now);
    assert.ok(evaluated.kind === "go");
    known = evaluated.after;
    waits.push((known.nextAt.getTime() - now.getTime()) / 60_000);
    now = known.nextAt;
  }
  assert.deepEqual(waits.slice(9), [30, 30, 30]);
  assert.ok(waits.slice(0, 9).every((minutes) => minutes < 6));
  const longer = evaluateAttempt(
    { ...never, failures: 9 },
    { ...subject, locks: true },
    start,
    3_600_000,
  );
  assert.ok(longer.kind === "go");
  assert.equal(longer.after.nextAt.getTime(), start.getTime() + 3_600_000);
});

test("failures decay with time", () => {
  const known = { failures: 5, lastAt: start, nextAt: start };
  const evaluated = evaluateAttempt(known, subject, later(4 * 60 * 60));
  assert.ok(evaluated.kind === "go");
  assert.equal(evaluated.after.failures, 2);
});
