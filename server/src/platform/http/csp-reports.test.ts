import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestClock, hour } from "../../../test/test-clock.ts";
import { createCspReports } from "./csp-reports.ts";

function createLoggedReports() {
  const clock = createTestClock();
  const lines: string[] = [];
  const reports = createCspReports(
    ({ directive, blocked, times }) => lines.push(`${directive} ${blocked} ${times}`),
    clock,
  );
  const report = (blockedURL: string) =>
    reports.take([
      { type: "csp-violation", body: { effectiveDirective: "script-src", blockedURL } },
    ]);
  return { lines, report, advance: clock.advance };
}

test("the first violation of a kind in an hour is logged, then the tenth and the hundredth", () => {
  const { lines, report, advance } = createLoggedReports();
  for (let count = 0; count < 100; count++) report("https://evil.example/a.js");
  const origin = "script-src https://evil.example";
  assert.deepEqual(lines, [`${origin} 1`, `${origin} 10`, `${origin} 100`]);
  advance(hour);
  report("https://evil.example/a.js");
  assert.equal(lines.at(-1), `${origin} 1`);
});

test("invented reports suppress a real one for an hour at most, and never fill the log", () => {
  const { lines, report, advance } = createLoggedReports();
  for (let count = 0; count < 5_000; count++) report(`https://invented-${count}.example`);
  assert.equal(lines.length, 50);
  advance(hour);
  report("https://evil.example");
  assert.equal(lines.at(-1), "script-src https://evil.example 1");
});
