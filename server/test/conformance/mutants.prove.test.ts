import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startTestPostgres } from "../database.ts";
import { slowed } from "../slowness.ts";
import { type ConformanceMutant, conformanceMutants } from "./conformance-mutants.ts";

const postgres = process.env.FLORIN_TEST_POSTGRES ?? (await startTestPostgres()).url;

/**
 * Runs the conformance tests against a mutant. Returns the titles of the failed tests, and `passed: true` if none
 * failed.
 */
function run({ name, suite }: ConformanceMutant): Promise<{ passed: boolean; failed: string }> {
  const hook = join(import.meta.dirname, "../simulation/mutate.ts");
  const file = join(import.meta.dirname, `${suite}.api.test.ts`);
  const env = {
    ...process.env,
    FLORIN_TEST_POSTGRES: postgres,
    FLORIN_MUTANT: name,
    // The short dose and the seed of `npm test`.
    FLORIN_TEST_DOSE: "0",
    FLORIN_TEST_SEED: "1",
    // Unset, because a test file that a test runner starts prints its results in another format.
    NODE_TEST_CONTEXT: undefined,
  };
  const options = { env, timeout: slowed(240_000), maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(process.execPath, ["--import", hook, file], options, (error, output) => {
      const failed = output.split("\n").filter((line) => line.trimStart().startsWith("✖"));
      resolve({ passed: error === null, failed: failed.join("\n") });
    });
  });
}

describe("the conformance tests detect the mutant in which", () => {
  for (const mutant of conformanceMutants) {
    test(mutant.name, async (t) => {
      const { passed, failed } = await run(mutant);
      assert.ok(!passed, "the tests passed");
      assert.ok(failed.includes(mutant.caughtBy), `only other tests failed:\n${failed}`);
      t.diagnostic(failed.split("\n")[0] ?? "");
    });
  }
});
