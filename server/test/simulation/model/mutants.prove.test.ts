import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startTestPostgres } from "../../database.ts";
import { copyService, mutate } from "../service-copy.ts";
import { modelMutants } from "./model-mutants.ts";

const postgres = process.env.FLORIN_TEST_POSTGRES ?? (await startTestPostgres()).url;

/** Runs a few sequences against a copy of the service. Returns whether it agreed with the model, and the output. */
async function playAgainst(mutant: (typeof modelMutants)[number] | null) {
  const copy = await mkdtemp(join(tmpdir(), "florin-model-mutant-"));
  try {
    await copyService(copy);
    if (mutant) await mutate(copy, mutant);
    const script = join(copy, "server/test/simulation/model/play.ts");
    const options = ["--sequences", "150", "--seed", "1", "--end-at-first"];
    const env = { ...process.env, FLORIN_TEST_POSTGRES: postgres };
    return await new Promise<{ agrees: boolean; said: string }>((resolve) => {
      execFile(process.execPath, [script, ...options], { env, timeout: 240_000 }, (error, said) =>
        resolve({ agrees: error === null, said }),
      );
    });
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

test("the unmodified service behaves like its model", async () => {
  const { agrees, said } = await playAgainst(null);
  assert.ok(agrees, said);
});

describe("random sequences detect the mutant in which", { concurrency: 2 }, () => {
  for (const mutant of modelMutants) {
    test(mutant.name, async (t) => {
      const { agrees, said } = await playAgainst(mutant);
      assert.ok(!agrees, "the model did not detect the mutant");
      t.diagnostic(
        /(?<=AssertionError \[ERR_ASSERTION\]: ).*/.exec(said)?.[0] ?? said.slice(0, 300),
      );
    });
  }
});
