import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { type Report, verify } from "../../src/insights/verify/verify.ts";
import { connectDatabase } from "../../src/platform/database/database.ts";
import { createTestDatabase } from "../database.ts";
import { slowed } from "../slowness.ts";
import type { Scenario } from "./failure-scenario.ts";
import { type Mutant, mutants } from "./mutants.ts";

const execute = promisify(execFile);
let directory: string;
let embedDirectory: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "florin-mutants-"));
  ({ outdir: embedDirectory } = await builtEmbed());
});

after(() => rm(directory, { recursive: true, force: true }));

/** Runs a failure scenario against the service or a mutant of it. Returns the checker's report. */
async function reportOf(scenario: Scenario, mutant: Mutant | null): Promise<Report> {
  const data = await mkdtemp(join(directory, "data-"));
  const testDatabase = await createTestDatabase();
  const script = join(import.meta.dirname, "failure-scenario.ts");
  const hooks = mutant ? ["--import", join(import.meta.dirname, "mutate.ts")] : [];
  await execute(
    process.execPath,
    [...hooks, script, testDatabase.url, data, embedDirectory, scenario],
    {
      timeout: slowed(60_000),
      env: { ...process.env, ...(mutant && { FLORIN_MUTANT: mutant.name }) },
    },
  );
  const database = connectDatabase({
    url: testDatabase.url,
    poolSize: 1,
    onIdleError: () => undefined,
  });
  const report = await verify(database, { cards: true, endpointsNeverChanged: true });
  await database.close();
  await testDatabase.drop();
  return report;
}

describe("the service withstands each fault", { concurrency: 2 }, () => {
  const scenarios = new Set<Scenario>([
    ...mutants.map(({ scenario }) => scenario),
    "partial approvals arrive late",
    "every response arrives twice",
  ]);
  for (const scenario of scenarios) {
    test(scenario, async () => {
      const report = await reportOf(scenario, null);
      assert.equal(report.violations, 0, printReport(report));
      const examined = report.results.find(
        ({ name }) => name === "payments_are_in_ledger",
      )?.examined;
      assert(examined && examined >= 3, "the scenario created no payments");
    });
  }
});

/**
 * The maximum number of runs per mutant. The checker detects some mutants only if two events coincide, and on a busy
 * machine they do not coincide in every run.
 */
const maxRuns = 10;

describe("the checker detects the mutant in which", { concurrency: 2 }, () => {
  for (const mutant of mutants) {
    test(mutant.name, async (t) => {
      for (let run = 1; run <= maxRuns; run++) {
        const { results } = await reportOf(mutant.scenario, mutant);
        const caught = results.filter(({ violations }) => violations > 0);
        const names = caught.map(({ name }) => name);
        t.diagnostic(
          `run ${run}: ${names.join(", ")} ${caught[0]?.sentences[0] ?? "no violation"}`,
        );
        if (mutant.caughtBy.some((name) => names.includes(name))) return;
      }
      assert.fail(`${mutant.caughtBy.join(" or ")} found no violation`);
    });
  }
});
