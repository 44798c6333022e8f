import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { dose, seed } from "../../test-size.ts";

const sequences = dose("sequences", { short: 17, long: 20_000 });

/**
 * The maximum number of concurrent sequences, which share a small connection pool. The short dose also shares the
 * machine with other test files.
 */
const maxConcurrency = dose("concurrency", { short: 16, long: 64 });

/**
 * The share of the sequences in each environment, and their concurrency. Sequences with crashes are the slowest. The
 * short dose has none with several processes, which process-crash.api.test.ts tests.
 */
const environments = [
  ["stable", 0.87, maxConcurrency, "with faults between service and acquirer"],
  ["disconnecting", 0.09, maxConcurrency, "while database connections break"],
  ["crashing", 0.03, Math.min(maxConcurrency, 20), "while servers and Postgres crash"],
  ["processes", 0.01, Math.min(maxConcurrency, 20), "while processes of a service crash"],
] as const;

describe(`the service behaves like its model (seed ${seed})`, { concurrency: 3 }, () => {
  for (const [environment, share, concurrency, what] of environments) {
    const count = Math.round(sequences * share);
    if (count === 0) continue;
    test(`in ${count} sequences, ${what}`, async (t) => {
      const { code, output } = await play([
        ...["--environment", environment],
        ...["--sequences", `${count}`],
        ...["--concurrency", `${concurrency}`],
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
