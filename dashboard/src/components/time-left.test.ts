import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLeft } from "./time-left.ts";

test("the time left has its two largest units, rounded down", () => {
  const texts: readonly (readonly [number, string])[] = [
    [13 * 86_400 + 23 * 3_600 + 59 * 60, "13 days 23 hours left"],
    [86_400 + 59 * 60, "1 day left"],
    [3_600 + 120, "1 hour 2 minutes left"],
    [119, "1 minute left"],
    [59, "Less than a minute left"],
    [0, "Overdue"],
  ];
  for (const [seconds, text] of texts) assert.equal(timeLeft(seconds), text);
});
