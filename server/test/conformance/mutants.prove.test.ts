import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startTestPostgres } from "../database.ts";
import { slowed } from "../slowness.ts";
import { type ConformanceMutant, conformanceMutants } from "./conformance-mutants.ts";

const postgres = process.env.FLORIN_TEST_POSTGRES ?? (await startTestPostgres()).url;

/** Runs the tests that must detect the mutant. Returns the titles of those that failed. */
function run({ name, suite, caughtBy }: ConformanceMutant): Promise<string[]> {
  const hook = join(import.meta.dirname, "../simulation/mutate.ts");
  const file = join(import.meta.dirname, `${suite}.api.test.ts`);
  const env = {
    ...process.env,
    FLORIN_TEST_POSTGRES: postgres,
    FLORIN_MUTANT: name,
    // The short dose and the seed of `npm test`.
    FLORIN_TEST_DOSE: "0",
    FLORIN_TEST_SEED: "1",
    // Unset, because a test file prints its results in another format if a test runner has started it.
    NODE_TEST_CONTEXT: undefined,
  };
  const options = { env, timeout: slowed(240_000), maxBuffer: 64 * 1024 * 1024 };
  const flags = ["--import", hook, `--test-name-pattern=${RegExp.escape(caughtBy)}`];
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, file], options, (_, output) => {
      const lines = output.split("\n").map((line) => line.trim());
      resolve(lines.filter((line) => line.startsWith("✖") && line.includes(caughtBy)));
    });
  });
}

describe("the conformance tests detect the mutant in which", () => {
  for (const mutant of conformanceMutants) {
    test(mutant.name, async (t) => {
      const [failed] = await run(mutant);
      assert.ok(failed, `no test of '${mutant.caughtBy}' failed`);
      t.diagnostic(failed);
    });
  }
});
