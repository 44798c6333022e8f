import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { dose, seed } from "../../test-size.ts";

const sequences = dose("sequences", { short: 100, long: 20_000 });

/** Other test files run beside the short dose. Each sequence in flight holds connections of one small pool. */
const max = dose("at-once", { short: 16, long: 64 });

/** The share of the sequences in each setup, and the concurrency. Real crashes are the slowest. */
const environments = [
  ["calm", 0.88, max, "with faults between service and acquirer"],
  ["stormy", 0.09, max, "while database connections break"],
  ["crashing", 0.03, Math.min(max, 20), "while servers and Postgres crash"],
] as const;

describe(`the service behaves like its model (seed ${seed})`, { concurrency: 3 }, () => {
  for (const [environment, share, concurrent, what] of environments) {
    const some = Math.max(1, Math.round(sequences * share));
    test(`in ${some} sequences, ${what}`, async (t) => {
      const { code, output } = await play([
        ...["--environment", environment],
        ...["--sequences", `${some}`],
        ...["--at-once", `${concurrent}`],
      ]);
      assert.equal(code, 0, output);
      t.diagnostic(output.trim());
    });
  }
});

function play(options: readonly string[]): Promise<{ code: number | null; output: string }> {
  const script = join(import.meta.dirname, "play.ts");
  const child = spawn(process.execPath, [script, "--seed", `${seed}`, ...options]);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}
