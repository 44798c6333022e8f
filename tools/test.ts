import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { EmbeddedPostgres } from "../server/src/platform/database/embedded.ts";
import { startTestPostgres } from "../server/test/database.ts";
import { root, testFiles } from "./source-tree.ts";

/**
 * `npm test` runs every check, fastest first, and stops at the first failure. `npm test -- charge` runs only the test
 * files whose path contains "charge".
 *
 * Among thousands of tests with crashes and a browser a few fail once in a thousand runs. One or two failed files are
 * therefore run again. A second failure is final, and a success is reported as flaky. Simulations are never repeated,
 * because a payment lost once in a thousand crashes is what they look for. Journeys are not repeated either, because
 * their failures name the file that runs them.
 */
type Stage = {
  readonly name: string;
  /** The arguments for Node. */
  readonly command: readonly string[];
  /** True for a stage without test files, which must fail. */
  readonly empty?: boolean;
  /** True if one or two failed files may be run again. */
  readonly secondChance?: boolean;
};

const patterns = process.argv.slice(2);

/** More failed files than this are not flaky tests. */
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
    // In a terminal Ctrl-C has reached the stage too. A second signal is harmless.
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

/** Checks that need no running service. */
function checks(): Stage[] {
  return [
    { name: "types", command: [bin("tsc"), "--build"] },
    { name: "format and lint", command: [bin("biome"), "ci", "--error-on-warnings", "."] },
    { name: "house rules", command: ["--test", "tools/tidy.test.ts"] },
  ];
}

/** Formats a timeout. A hanging test must end the run. The limits are far above the duration of any test. */
function minutes(count: number): string {
  return `--test-timeout=${count * 60_000}`;
}

function tests(): Stage[] {
  const all = testFiles().filter((path) => path !== "tools/tidy.test.ts");
  const simulations = all.filter((path) => path.startsWith("server/test/simulation/"));
  const journeys = all.filter((path) => path.startsWith("journeys/"));
  const others = all.filter((path) => !simulations.includes(path) && !journeys.includes(path));
  return [
    // Two at a time, because a test file mostly waits for Postgres or Chromium, and the machine may be small.
    testStage("unit and API tests", others, ["--test-concurrency=2", minutes(5)], true),
    // One at a time, because they measure time and crash processes.
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
  // A failure in a generated test is reported under the generating file, which has no test to run again.
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

/** Runs a program and returns its exit code. */
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

/** Returns the exit code that a shell reports for a process ended by a signal. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** The card form and the journeys are tested in Chromium. Returns true when it is installed. */
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
