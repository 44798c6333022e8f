import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startTestPostgres } from "../../database.ts";
import { slowed } from "../../slowness.ts";
import type { Mutation } from "../mutation.ts";
import { modelMutants } from "./model-mutants.ts";

const postgres = process.env.FLORIN_TEST_POSTGRES ?? (await startTestPostgres()).url;

/**
 * Runs sequences against the service or a mutant of it. Returns the output, and whether the service behaved like the
 * model.
 */
function playAgainst(mutant: Mutation | null): Promise<{ agrees: boolean; output: string }> {
  const script = join(import.meta.dirname, "play.ts");
  const hooks = mutant ? ["--import", join(import.meta.dirname, "../mutate.ts")] : [];
  const options = ["--sequences", "150", "--seed", "1", "--end-at-first"];
  const env = {
    ...process.env,
    FLORIN_TEST_POSTGRES: postgres,
    ...(mutant && { FLORIN_MUTANT: mutant.name }),
  };
  const timeout = slowed(240_000);
  return new Promise((resolve) => {
    execFile(process.execPath, [...hooks, script, ...options], { env, timeout }, (error, output) =>
      resolve({ agrees: error === null, output }),
    );
  });
}

test("the unmodified service behaves like its model", async () => {
  const { agrees, output } = await playAgainst(null);
  assert.ok(agrees, output);
});

describe("random sequences detect the mutant in which", { concurrency: 2 }, () => {
  for (const mutant of modelMutants) {
    test(mutant.name, async (t) => {
      const { agrees, output } = await playAgainst(mutant);
      assert.ok(!agrees, "the model did not detect the mutant");
      t.diagnostic(
        /(?<=AssertionError \[ERR_ASSERTION\]: ).*/.exec(output)?.[0] ?? output.slice(0, 300),
      );
    });
  }
});
