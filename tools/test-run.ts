import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { builtDashboard } from "../dashboard/cached-build.ts";
import { buildEmbed } from "../embed/build.ts";
import {
  type EmbeddedPostgres,
  stopEmbeddedPostgres,
} from "../server/src/platform/database/embedded.ts";
import { isAlive } from "../server/src/platform/database/embedded-cluster.ts";
import { startTestPostgres } from "../server/test/database.ts";
import { chromiumPath, headlessShell } from "./chromium.ts";
import { measureSlowness } from "./measure-slowness.ts";
import { root } from "./source-tree.ts";
import type { SharedFiles } from "./test-files.ts";
import { createPool, exitCodeOf, type Job, type Outcome, printLine } from "./test-pool.ts";
import { unstableTests } from "./unstable-tests.ts";

/** A test run, for `npm test` and `npm run prove`. */
export type TestRun = {
  /** Checks that must pass before any test file runs. */
  readonly checks: readonly Job[];
  /** Checks that take longer. They run at the same time as the first test files. A failed check ends the run. */
  readonly longChecks: readonly Job[];
  readonly files: readonly string[];
  /** The files that can share a process. Every other file runs in a separate process. */
  readonly shared?: readonly SharedFiles[];
  /** The number of processes that run at the same time. */
  readonly width: number;
  readonly seed: number;
  /** The share of the long dose (server/test/test-size.ts), or null for the short dose. */
  readonly dose: number | null;
  readonly maxMinutes: number;
};

/** If more files than this fail, no file is run again, because flaky tests are then not the cause. */
const maxRepeated = 2;

/** Runs checks and test files with one Postgres. Returns the exit code. */
export async function runTests({ checks, longChecks, files, ...run }: TestRun): Promise<number> {
  const startedAt = performance.now();
  if (!(await provideBrowser())) return 1;
  const environment: Record<string, string> = {
    FLORIN_TEST_SEED: String(run.seed),
    ...(run.dose !== null && { FLORIN_TEST_DOSE: String(run.dose) }),
  };
  const directory = await createRunDirectory();
  environment.TMPDIR = directory;
  const pool = createPool(environment);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => pool.stop(signal));

  let postgres: EmbeddedPostgres | null = null;
  try {
    const slowness = measureSlowness();
    environment.FLORIN_TEST_SLOWNESS = String(slowness);
    if (slowness > 1)
      printLine(`── The machine is ${slowness} times slower than usual. Deadlines are scaled.`);
    // While the checks run, prepares Postgres and the builds for all test files. Later runs reuse the dashboard's
    // build.
    const checking = pool.run(checks, checks.length);
    let isCheckFailed = false;
    const checkingLonger = pool.run(longChecks, longChecks.length).then((outcomes) => {
      if (pool.interrupted || outcomes.every(({ passed }) => passed)) return;
      isCheckFailed = true;
      pool.stop("SIGTERM");
    });
    if (!process.env.FLORIN_TEST_POSTGRES) {
      postgres = await startTestPostgres(directory);
      environment.FLORIN_TEST_POSTGRES = postgres.url;
    }
    const embed = await buildEmbed({ outdir: join(directory, "embed") });
    await builtDashboard({ fallback: join(directory, "dashboard") });
    const checked = await checking;
    if (pool.interrupted) return isCheckFailed ? 1 : exitCodeOf(pool.interrupted);
    if (checked.some(({ passed }) => !passed)) {
      await checkingLonger;
      return 1;
    }
    environment.FLORIN_TEST_EMBED = embed.outdir;
    const recorded = readDurations();
    const jobs = longestFirst(divide(files, run.shared), recorded).map((some) =>
      jobFor(some, run.maxMinutes),
    );
    const outcomes = await pool.run(jobs, run.width);
    await checkingLonger;
    if (pool.interrupted) return isCheckFailed ? 1 : exitCodeOf(pool.interrupted);
    if (run.dose === null) writeDurations(recorded, outcomes);
    const failed = await repeatFailed(outcomes, run.maxMinutes, (again) => pool.run(again, 1));
    if (pool.interrupted) return exitCodeOf(pool.interrupted);
    summarize(outcomes, failed, performance.now() - startedAt, run.seed);
    return failed.length === 0 ? 0 : 1;
  } finally {
    await postgres?.stop();
    await deleteRunDirectory(directory);
  }
}

/**
 * A test run creates some 200 databases of 300 files each. On ext4 each database takes half a second of CPU time,
 * because the file system avoids the inodes of files deleted in the last five seconds. In memory it takes 0.07 s.
 */
const inMemory = "/dev/shm";
const neededBytes = 8 * 1024 ** 3;

/** Creates the directory for all temporary files of this run, and deletes those of runs that were killed. */
async function createRunDirectory(): Promise<string> {
  const parent = freeBytes(inMemory) >= neededBytes ? inMemory : tmpdir();
  for (const name of await readdir(parent)) {
    const owner = /^florin-test-(\d+)-/.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    await deleteRunDirectory(join(parent, name));
  }
  return mkdtemp(join(parent, `florin-test-${process.pid}-`));
}

function freeBytes(directory: string): number {
  try {
    accessSync(directory, constants.W_OK);
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

async function deleteRunDirectory(directory: string): Promise<void> {
  await stopLeftoverPostgres(directory);
  await rm(directory, { recursive: true, force: true });
}

/**
 * Stops the Postgres servers of killed test files. They survive, because they run in separate sessions (embedded.ts).
 */
async function stopLeftoverPostgres(directory: string): Promise<void> {
  for (const file of globSync("{,*/,*/*/}postgres/data/postmaster.pid", { cwd: directory })) {
    await stopEmbeddedPostgres(join(directory, file, "../../.."), "immediate").catch(() => {});
  }
}

/**
 * Divides the files among processes. Each process gets files from all positions of the list, so that it has slow and
 * fast files.
 */
function divide(files: readonly string[], shared: readonly SharedFiles[] = []): string[][] {
  const alone = files.filter((file) => !shared.some((kind) => kind.files.has(file)));
  const together = shared.flatMap(({ files: kind, perProcess }) => {
    const some = files.filter((file) => kind.has(file));
    const processes = Math.ceil(some.length / perProcess);
    return Array.from({ length: processes }, (_, process) =>
      some.filter((_, index) => index % processes === process),
    );
  });
  return [...alone.map((file) => [file]), ...together];
}

/** The time between the limit of a test and that of its job. A test that hangs fails first, so that the report names it. */
const reportMinutes = 5;

function jobFor(files: readonly string[], maxMinutes: number): Job {
  const testTimeoutMs = (maxMinutes - reportMinutes) * 60_000;
  const options = ["--test-reporter=spec", `--test-timeout=${testTimeoutMs}`];
  const isShared = files.length > 1;
  return {
    name: files.join(" "),
    files,
    command: [...options, ...(isShared ? ["--test", "--test-isolation=none"] : []), ...files],
    maxMinutes,
  };
}

/**
 * Runs one or two failed files again, alone, to distinguish a flaky test from a broken one. Both a flaky and a broken
 * test fail the run, unless the file is in `unstableTests` and passes in its second run. Returns the files that make
 * the run fail.
 */
async function repeatFailed(
  outcomes: readonly Outcome[],
  maxMinutes: number,
  run: (jobs: readonly Job[]) => Promise<Outcome[]>,
): Promise<string[]> {
  const failed = outcomes.flatMap(({ failedFiles }) => failedFiles);
  if (failed.length === 0 || failed.length > maxRepeated) return failed;
  printLine(`── once more, alone: ${failed.join(", ")}`);
  const again = await run(failed.map((file) => jobFor([file], maxMinutes)));
  return again.flatMap(({ job: { name }, passed }) => {
    if (!passed) return [name];
    const reason = unstableTests[name];
    if (reason) printLine(`── ${name}: passed when it was repeated. Known: ${reason}`);
    else printLine(`── ${name}: FLAKY, it passed when it was repeated`);
    return reason ? [] : [name];
  });
}

function summarize(
  outcomes: readonly Outcome[],
  failed: readonly string[],
  tookMs: number,
  seed: number,
): void {
  const slowest = outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10);
  printLine("── the slowest files:");
  for (const { job, seconds } of slowest)
    printLine(`   ${seconds.toFixed(1).padStart(6)} s  ${job.name}`);
  // Repeats the failures at the end, because CI systems often show only the end of a long output.
  for (const { job, passed, failures } of outcomes) {
    if (!passed) printLine(`── the failures of ${job.name}:\n${failures.trimEnd()}`);
  }
  for (const name of failed) printLine(`── FAILED: ${name}`);
  const tests = outcomes.reduce((sum, one) => sum + one.tests, 0);
  const files = outcomes.reduce((sum, { job }) => sum + job.files.length, 0);
  const result = failed.length === 0 ? "passed" : "FAILED";
  printLine(
    `── ${result}: ${tests} tests in ${files} files in ${(tookMs / 1000).toFixed(1)} s, seed ${seed}`,
  );
}

/** The duration of each file in the last run, in seconds. The durations only decide the order of the files. */
type Durations = Record<string, number>;

const durationsFile = join(root, ".florin-test/durations.json");

function readDurations(): Durations {
  try {
    return JSON.parse(readFileSync(durationsFile, "utf8"));
  } catch {
    return {};
  }
}

function writeDurations(durations: Durations, outcomes: readonly Outcome[]): void {
  for (const { job, seconds } of outcomes) {
    // The duration of a shared process is divided equally among its files.
    const each = Math.round((seconds / job.files.length) * 10) / 10;
    for (const file of job.files) durations[file] = each;
  }
  mkdirSync(dirname(durationsFile), { recursive: true });
  writeFileSync(durationsFile, JSON.stringify(durations));
}

/** Sorts the groups by expected duration, longest first, so that no long group runs alone at the end. */
function longestFirst(groups: readonly string[][], durations: Durations): string[][] {
  const expected = (files: readonly string[]) =>
    files.reduce((sum, file) => sum + (durations[file] ?? expectedSeconds(file)), 0);
  return groups.toSorted((a, b) => expected(b) - expected(a));
}

/** The durations of the slowest files in seconds on two cores, to start these files early on a first run. */
const longTests: Readonly<Record<string, number>> = {
  "server/test/simulation/crash.api.test.ts": 160,
  "journeys/dashboard-pages.browser.test.ts": 110,
  "journeys/checkout.browser.test.ts": 200,
  "journeys/dashboard.browser.test.ts": 220,
  "server/test/simulation/model/model.api.test.ts": 110,
  "embed/src/frame/card-page.browser.test.ts": 100,
  "embed/src/page/embed.browser.test.ts": 60,
  "embed/src/page/overlay.browser.test.ts": 30,
  "embed/src/frame/accessibility.browser.test.ts": 40,
  "server/src/platform/database/embedded.db.test.ts": 70,
  "server/test/simulation/live-crash.api.test.ts": 90,
  "server/test/conformance/acquirers.api.test.ts": 60,
  "server/test/conformance/adyen-notifications.api.test.ts": 25,
  "server/test/conformance/operator-changes.api.test.ts": 45,
  "server/test/simulation/process-crash.api.test.ts": 60,
  "server/test/simulation/three-d-secure-crash.api.test.ts": 40,
  "server/test/api/dispute-responses.api.test.ts": 25,
  "cli/backup.api.test.ts": 70,
  "cli/doctor.api.test.ts": 35,
  "server/src/platform/database/embedded-backup.db.test.ts": 40,
  "journeys/live-sandbox.browser.test.ts": 30,
  "server/src/platform/database/group-commit.db.test.ts": 25,
  "server/src/platform/changes/change-feed.db.test.ts": 15,
  "server/src/webhooks/delivery/delivery-circuit.db.test.ts": 10,
  "server/src/platform/database/primary-locator.db.test.ts": 12,
  "server/src/platform/processes/token-buckets.test.ts": 15,
};

/** Estimates the duration of a file that has no recorded duration. */
function expectedSeconds(file: string): number {
  const known = longTests[file];
  if (known !== undefined) return known;
  if (file.startsWith("server/test/simulation/")) return 30;
  if (file.includes(".browser.")) return 9;
  if (file.startsWith("cli/") || file.includes("/embedded")) return 20;
  if (file.startsWith("simulator/") || file.startsWith("sdk/")) return 5;
  return file.startsWith("server/test/") ? 6 : 1;
}

/** Tries to install Chromium, which browser tests need, if it is missing. Returns whether Chromium is installed. */
async function provideBrowser(): Promise<boolean> {
  const isRoot = process.getuid?.() === 0;
  if (!process.env.FLORIN_CHROMIUM && !existsSync(headlessShell) && isDebian() && isRoot) {
    printLine(
      "Installing Debian's chromium-headless-shell for the browser tests. This happens once and takes about a minute.",
    );
    await runApt("update", "--quiet=2");
    await runApt("install", "--quiet=2", "--yes", "chromium-headless-shell");
  }
  const browser = chromiumPath();
  if (existsSync(browser)) return true;
  printLine(
    `The tests need Chromium, which is not installed at ${browser}. Install it (Debian: apt-get install chromium-headless-shell), ` +
      "or set FLORIN_CHROMIUM to its path.",
  );
  return false;
}

async function runApt(...args: string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await once(spawn("apt-get", args, { env, stdio: ["ignore", "inherit", "inherit"] }), "exit");
}

function isDebian(): boolean {
  return (
    existsSync("/etc/os-release") && /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"))
  );
}
