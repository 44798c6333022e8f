import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { dose, seed } from "../../test-size.ts";

const sequences = dose("sequences", { short: 150, long: 20_000 });

/** Other test files run beside the short dose. Each sequence in flight holds connections of one small pool. */
const most = dose("at-once", { short: 16, long: 64 });

/** The share of the sequences in each setup, and the concurrency. Real crashes are the slowest. */
const worlds = [
  ["calm", 0.88, most, "with faults between service and acquirer"],
  ["stormy", 0.09, most, "while database connections break"],
  ["crashing", 0.03, Math.min(most, 20), "while servers and Postgres crash"],
] as const;

describe(`the service behaves like its model (seed ${seed})`, { concurrency: 3 }, () => {
  for (const [world, share, atOnce, what] of worlds) {
    const some = Math.max(1, Math.round(sequences * share));
    test(`in ${some} sequences, ${what}`, async (t) => {
      const { code, said } = await play([
        ...["--world", world],
        ...["--sequences", `${some}`],
        ...["--at-once", `${atOnce}`],
      ]);
      assert.equal(code, 0, said);
      t.diagnostic(said.trim());
    });
  }
});

function play(options: readonly string[]): Promise<{ code: number | null; said: string }> {
  const script = join(import.meta.dirname, "play.ts");
  const child = spawn(process.execPath, [script, "--seed", `${seed}`, ...options]);
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, said })));
}
