import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { EmbeddedPostgres } from "../server/src/database/embedded.ts";
import { startTestPostgres } from "../server/test/database.ts";
import { root, testFiles } from "./source-tree.ts";

/**
 * `npm test` proves everything, quickest first, and stops at the first thing that does not hold.
 * `npm test -- charge` runs only the test files whose path contains "charge".
 *
 * Thousands of tests with real crashes and a real browser hold a few that fail once in a thousand runs. So a file or two
 * that failed are run again, alone: what fails twice is broken, and what does not is told as unsteady, to be mended, and
 * does not stop whoever changed something else. The simulations have no second chance: a payment that is lost once in a
 * thousand crashes is what they are there to find. Nor have journeys, whose failures name the file that walks them.
 */
type Stage = {
  readonly name: string;
  /** What Node is asked to run. */
  readonly command: readonly string[];
  /** True for a stage that lost its tests: to pass it would prove nothing. */
  readonly empty?: boolean;
  /** Whether a file or two of it may be run again. */
  readonly secondChance?: boolean;
};

const patterns = process.argv.slice(2);

/** More than this is no accident. */
const mostRunAgain = 2;

const failingFiles = join(tmpdir(), `florin-failing-files-${process.pid}`);
const reporters = [
  ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
  `--test-reporter=${join(root, "tools/failing-files.ts")}`,
  `--test-reporter-destination=${failingFiles}`,
];

let interrupted: NodeJS.Signals | null = null;
let running: ChildProcess | null = null;

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    interrupted ??= signal;
    // In a terminal Ctrl-C reached the stage too; asking it twice does no harm.
    running?.kill("SIGTERM");
  });
}

process.exitCode = await runAll();

async function runAll(): Promise<number> {
  const stages = patterns.length === 0 ? [...checks(), ...tests()] : tests();
  if (stages.length === 0) {
    say(`No test file has ${patterns.join(" or ")} in its path.`);
    return 1;
  }
  if (!(await provideBrowser())) return 1;

  let postgres: EmbeddedPostgres | null = null;
  try {
    for (const stage of stages) {
      if (stage.command.includes("--test") && !process.env.FLORIN_TEST_POSTGRES && !interrupted) {
        postgres ??= await startTestPostgres();
      }
      const code = await runStage(stage, postgres);
      if (code !== 0) return code;
    }
    return 0;
  } finally {
    await postgres?.stop();
    rmSync(failingFiles, { force: true });
  }
}

/** What can be told without running the service. */
function checks(): Stage[] {
  return [
    { name: "types", command: [bin("tsc"), "--build"] },
    { name: "format and lint", command: [bin("biome"), "ci", "--error-on-warnings", "."] },
    { name: "house rules", command: ["--test", "tools/tidy.test.ts"] },
  ];
}

/** A test that hangs must end the run, not hang it; these are far above what any test takes. */
function minutes(count: number): string {
  return `--test-timeout=${count * 60_000}`;
}

function tests(): Stage[] {
  const all = testFiles().filter((path) => path !== "tools/tidy.test.ts");
  const simulations = all.filter((path) => path.startsWith("server/test/simulation/"));
  const journeys = all.filter((path) => path.startsWith("journeys/"));
  const others = all.filter((path) => !simulations.includes(path) && !journeys.includes(path));
  return [
    // Two at a time: a test file is mostly waiting for Postgres or Chromium, and the machine may be small.
    testStage("unit and API tests", others, ["--test-concurrency=2", minutes(5)], true),
    // One at a time: they measure time and make things crash.
    testStage("simulations", simulations, ["--test-concurrency=1", minutes(30)]),
    testStage("journeys", journeys, ["--test-concurrency=1", minutes(20)]),
  ].filter((stage) => stage !== null);
}

function testStage(
  name: string,
  files: string[],
  options: string[],
  secondChance = false,
): Stage | null {
  const wanted = files.filter(
    (file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
  );
  if (wanted.length === 0 && patterns.length > 0) return null;
  return {
    name,
    command: ["--test", ...reporters, ...options, ...wanted],
    empty: wanted.length === 0,
    secondChance,
  };
}

function readFailingFiles(): string[] {
  if (!existsSync(failingFiles)) return [];
  const files = readFileSync(failingFiles, "utf8").split("\n").filter(Boolean);
  return files.map((file) => relative(root, file));
}

function bin(name: string): string {
  return join(root, "node_modules/.bin", name);
}

async function runStage(
  { name, command, empty, secondChance }: Stage,
  postgres: EmbeddedPostgres | null,
): Promise<number> {
  if (interrupted) return exitCodeOf(interrupted);
  if (empty) {
    say(`── ${name}: FAILED, there are no test files`);
    return 1;
  }
  const begun = performance.now();
  const environment = postgres ? { FLORIN_TEST_POSTGRES: postgres.url } : {};
  let code = await run(process.execPath, command, environment);
  const failing = code !== 0 && secondChance ? readFailingFiles() : [];
  // A test that another file made is told as that file's, which holds no test to run again.
  const isFew = failing.length > 0 && failing.length <= mostRunAgain;
  if (isFew && failing.every((file) => command.includes(file)) && !interrupted) {
    say(`── ${name}: once more, alone: ${failing.join(", ")}`);
    code = await run(process.execPath, ["--test", minutes(30), ...failing], environment);
    if (code === 0) say(`── UNSTEADY, to be mended: ${failing.join(", ")}`);
  }
  const result = interrupted ? "interrupted" : code === 0 ? "passed" : "FAILED";
  say(`── ${name}: ${result} in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return interrupted ? exitCodeOf(interrupted) : code;
}

/** Runs a program to its end; its exit code. */
function run(
  file: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<number> {
  const env = { ...process.env, ...environment };
  const child = spawn(file, args, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] });
  running = child;
  return new Promise((ended, failed) => {
    child.once("error", failed);
    child.once("exit", (code, signal) => {
      running = null;
      ended(signal ? exitCodeOf(signal) : (code ?? 1));
    });
  });
}

/** What a shell reports for a process that a signal ended. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** The embed and the journeys are proved in a real Chromium. True when there is one. */
async function provideBrowser(): Promise<boolean> {
  const browser = process.env.FLORIN_CHROMIUM ?? "/usr/bin/chromium";
  if (existsSync(browser)) return true;
  if (!process.env.FLORIN_CHROMIUM && isDebian() && process.getuid?.() === 0) {
    say("Installing Debian's chromium for the tests in a browser: once, about a minute.");
    const apt = { DEBIAN_FRONTEND: "noninteractive" };
    await run("apt-get", ["update", "--quiet=2"], apt);
    await run("apt-get", ["install", "--quiet=2", "--yes", "chromium"], apt);
    if (existsSync(browser)) return true;
  }
  say(
    `The tests need a Chromium, and there is none at ${browser}. Install one (Debian: apt-get install chromium), ` +
      "or set FLORIN_CHROMIUM to its path.",
  );
  return false;
}

function isDebian(): boolean {
  return (
    existsSync("/etc/os-release") && /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"))
  );
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
