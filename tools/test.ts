import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./source-tree.ts";
import { testFiles } from "./test-files.ts";
import { type Job, printLine } from "./test-pool.ts";
import { runTests } from "./test-run.ts";

/**
 * `npm test` runs every check and every test file, with a short dose of the randomized ones. `npm test -- charge` runs
 * only the test files whose path contains "charge". `--width` sets the number of concurrent processes, and `--seed` the
 * seed of the randomized tests.
 */
const { values, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: { width: { type: "string" }, seed: { type: "string", default: "1" } },
});

/**
 * The number of processes. A test file mostly waits for Postgres, a timer or Chromium, so the default is four more
 * than the number of cores.
 */
const width = Number(values.width ?? availableParallelism() + 4);

/** The time limit of a check. It only ends a check that hangs: at a load of 24, the type check took over 5 minutes. */
const maxMinutes = 20;

/**
 * Uses one thread, because the first test files run at the same time. With several threads, the compiler takes twice
 * the CPU time and twice the memory.
 */
const typeCheck: Job = {
  name: "types",
  files: [],
  command: [bin("tsc"), "--build", "--singleThreaded"],
  maxMinutes,
};

const houseRules = "tools/house-rules.test.ts";

const { test, shared } = testFiles();
const files = test.filter((file) =>
  patterns.length === 0 ? file !== houseRules : patterns.some((pattern) => file.includes(pattern)),
);
if (files.length === 0) {
  printLine(`No test file has ${patterns.join(" or ")} in its path.`);
  process.exitCode = 1;
} else {
  process.exitCode = await runTests({
    checks: patterns.length === 0 ? checks() : [],
    longChecks: patterns.length === 0 ? [typeCheck] : [],
    files,
    shared,
    width,
    seed: Number(values.seed),
    dose: null,
    maxMinutes: 30,
  });
}

/** Returns the checks that need no running service. */
function checks(): Job[] {
  return [
    {
      name: "format and lint",
      files: [],
      command: [bin("biome"), "ci", "--error-on-warnings", "."],
      maxMinutes,
    },
    // Also fills Node's compile cache. Without the cache, each server would parse TypeScript again, because a server
    // that is killed does not write the cache.
    {
      name: "the service loads",
      files: [],
      command: ["--input-type=module", "--eval", 'await import("./server/test/shop.ts");'],
      maxMinutes,
    },
    { name: "house rules", files: [houseRules], command: [houseRules], maxMinutes },
  ];
}

function bin(name: string): string {
  return join(root, "node_modules/.bin", name);
}
