import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { dose, seed } from "../../test-size.ts";

/**
 * The maximum number of concurrent sequences, which share a small connection pool. The short dose also shares the
 * machine with other test files.
 */
const maxConcurrency = dose("concurrency", { short: 16, long: 64 });

/**
 * The number of sequences in each environment, and their concurrency. Sequences with crashes are the slowest. The short
 * dose has none with several processes, which process-crash.api.test.ts tests.
 */
const environments = [
  {
    name: "stable",
    title: "with faults between service and acquirer",
    sequences: dose("sequences", { short: 8, long: 17_400 }),
    concurrency: maxConcurrency,
  },
  {
    name: "disconnecting",
    title: "while database connections break",
    sequences: dose("disconnecting-sequences", { short: 1, long: 1_800 }),
    concurrency: maxConcurrency,
  },
  {
    name: "crashing",
    title: "while servers and Postgres crash",
    sequences: dose("crashing-sequences", { short: 1, long: 600 }),
    concurrency: Math.min(maxConcurrency, 20),
  },
  {
    name: "processes",
    title: "while processes of a service crash",
    sequences: dose("process-sequences", { short: 0, long: 200 }),
    concurrency: Math.min(maxConcurrency, 20),
  },
];

describe(`the service behaves like its model (seed ${seed})`, { concurrency: 3 }, () => {
  for (const { name, title, sequences, concurrency } of environments) {
    if (sequences === 0) continue;
    test(`in ${sequences} sequences, ${title}`, async (t) => {
      const { code, output } = await play([
        ...["--environment", name],
        ...["--sequences", `${sequences}`],
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
