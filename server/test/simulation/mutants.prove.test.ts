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
import { openDatabase } from "../../src/platform/database/database.ts";
import { createTestDatabase } from "../database.ts";
import { type Mutant, mutants } from "./mutants.ts";
import { copyService, mutate } from "./service-copy.ts";

const run = promisify(execFile);
let directory: string;
let embedDirectory: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "florin-mutants-"));
  ({ outdir: embedDirectory } = await builtEmbed());
});

after(() => rm(directory, { recursive: true, force: true }));

/** Runs a failure scenario against a copy of the service, mutated or original. Returns the real checker's report. */
async function outcomeOf(misfortune: string, mutant: Mutant | null): Promise<Report> {
  const copy = await mkdtemp(join(directory, "copy-"));
  await copyService(copy);
  if (mutant) await mutate(copy, mutant);
  const own = await createTestDatabase();
  const script = join(copy, "server/test/simulation", "failure-scenario.ts");
  await run(process.execPath, [script, own.url, copy, embedDirectory, misfortune], {
    timeout: 60_000,
  });
  const database = openDatabase({ url: own.url, poolSize: 1, onIdleError: () => undefined });
  const report = await verify(database, { cards: true, endpointsNeverChanged: true });
  await database.close();
  await own.drop();
  await rm(copy, { recursive: true, force: true });
  return report;
}

describe("the service withstands each fault", { concurrency: 2 }, () => {
  const misfortunes = new Set([
    ...mutants.map(({ misfortune }) => misfortune),
    "partial approvals arrive late",
    "every response arrives twice",
  ]);
  for (const misfortune of misfortunes) {
    test(misfortune, async () => {
      const report = await outcomeOf(misfortune, null);
      assert.equal(report.violations, 0, printReport(report));
      const examined = report.results.find(
        ({ name }) => name === "payments_are_in_ledger",
      )?.examined;
      assert(examined && examined >= 3, "the scenario created no payments");
    });
  }
});

/** Some mutations need two simultaneous events to show, which a busy machine may not produce in every run. */
const days = 3;

describe("the checker detects the mutant in which", { concurrency: 2 }, () => {
  for (const mutant of mutants) {
    test(mutant.name, async (t) => {
      for (let day = 1; day <= days; day++) {
        const { results } = await outcomeOf(mutant.misfortune, mutant);
        const caught = results.filter(({ violations }) => violations > 0);
        const names = caught.map(({ name }) => name);
        t.diagnostic(
          `day ${day}: ${names.join(", ")} ${caught[0]?.sentences[0] ?? "no violation"}`,
        );
        if (mutant.caughtBy.some((name) => names.includes(name))) return;
      }
      assert.fail(`${mutant.caughtBy.join(" or ")} should have complained`);
    });
  }
});
