import assert from "node:assert/strict";
import { test } from "node:test";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { slowed } from "../slowness.ts";
import { dose, seed } from "../test-size.ts";
import { figuresOf } from "./crash-figures.ts";
import { crashRounds } from "./crash-rounds.ts";

const rounds = dose("rounds", { short: 2, long: 1_000 });

/**
 * The number of processes of a service in the first test. The short dose skips this test, because each start of a
 * process takes a second of CPU time. In the short dose, process-crash.api.test.ts kills processes.
 */
const processes = dose("processes", { short: 0, long: 4 });

test(`a service of ${processes} processes loses and duplicates no payment in ${rounds * 2} crashes of a process or of the service (seed ${seed})`, {
  skip: processes === 0 && "in the short dose",
}, async (t) => {
  const print = (line: string) => t.diagnostic(line);
  const figures = await crashRounds(rounds * 2, seed, print, processes);
  for (const line of figuresOf(figures)) t.diagnostic(line);

  assert.equal(figures.report.violations, 0, printReport(figures.report));
  assert.deepEqual(figures.missingWebhooks, [], "an event was never delivered");
  assert.deepEqual(figures.lostSessions, [], "a session that was paid is not complete");
  assert(figures.charges > rounds * 10, "too few charges for a meaningful test");
  assert(figures.workerKills > rounds / 3, "too few killed processes for a meaningful test");
});

test(`the service loses and duplicates no payment in ${rounds} crashes under load (seed ${seed})`, async (t) => {
  const figures = await crashRounds(rounds, seed, (line) => t.diagnostic(line));
  for (const line of figuresOf(figures)) t.diagnostic(line);

  assert.equal(figures.report.violations, 0, printReport(figures.report));
  assert.deepEqual(figures.missingWebhooks, [], "an event was never delivered");
  assert.deepEqual(figures.lostSessions, [], "a session that was paid is not complete");
  assert(figures.charges > rounds * 10, "too few charges for a meaningful test");
  assert(figures.kills > rounds / 3, "too few killed servers for a meaningful test");
  assert(
    figures.inquiriesExhausted <= figures.charges / 100,
    "too many charges without an outcome after several inquiries",
  );
  // The short dose shares the machine with other test files, so only the limit of three minutes in `crashRounds`
  // applies to it.
  if (rounds >= 100) {
    assert(
      figures.outcomesKnownAfterMs <= slowed(60_000),
      `the last outcome was known after ${figures.outcomesKnownAfterMs} ms`,
    );
  }
});
