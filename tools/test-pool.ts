import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./source-tree.ts";

/** One process of a test run: one or more test files, or another check. */
export type Job = {
  /** The paths of the test files, or the name of another check. */
  readonly name: string;
  /** The test files. Empty for a check that is not a test file. */
  readonly files: readonly string[];
  /** The arguments for Node. */
  readonly command: readonly string[];
  /** The time after which a test process counts as hung and is ended. */
  readonly maxMinutes: number;
};

export type Outcome = {
  readonly job: Job;
  readonly passed: boolean;
  /** The test files that failed. If the output of the job names no failed file, all files of the job. */
  readonly failedFiles: readonly string[];
  /** The reporter's list of failed tests with their errors. Empty if no test failed. */
  readonly failures: string;
  readonly tests: number;
  readonly seconds: number;
};

export type Pool = {
  /** Runs the jobs in their order, `width` at a time, and prints the output of each when it ends. */
  run(jobs: readonly Job[], width: number): Promise<Outcome[]>;
  /** Ends the running jobs and starts no more. */
  stop(signal: NodeJS.Signals): void;
  /** The signal that interrupted the run, or null. */
  readonly interrupted: NodeJS.Signals | null;
};

/** The time that an interrupted test file has to stop its servers. */
const graceMs = 10_000;

export function createPool(environment: Readonly<Record<string, string>>): Pool {
  const running = new Set<ChildProcess>();
  let interrupted: NodeJS.Signals | null = null;

  async function runJob(job: Job): Promise<Outcome> {
    const startedAt = performance.now();
    const child = spawn(process.execPath, job.command, {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      // A process group, so that ending a test also ends the servers that it started.
      detached: true,
    });
    running.add(child);
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => void output.push(chunk));
    }
    const hanging = setTimeout(() => {
      const processes = listProcesses(child);
      output.push(Buffer.from(`\nEnded after ${job.maxMinutes} minutes, with:\n${processes}\n`));
      end(child);
    }, job.maxMinutes * 60_000);
    const code = await exitOf(child);
    clearTimeout(hanging);
    running.delete(child);
    signalGroup(child, "SIGKILL");
    const seconds = (performance.now() - startedAt) / 1000;
    const text = Buffer.concat(output).toString();
    const withoutTests = filesWithoutTests(job, text);
    const hasFailed = code !== 0 || hasFailedTests(text);
    const passed = !hasFailed && withoutTests.length === 0;
    const tests = Number(/^ℹ tests (\d+)$/m.exec(text)?.[1] ?? 0);
    if (!interrupted) printLine(reportOf(job, passed, seconds, text));
    const failedFiles = hasFailed ? failedFilesOf(job, text) : withoutTests;
    const failures = passed ? "" : failuresIn(text);
    return { job, passed, failedFiles, failures, tests, seconds };
  }

  return {
    async run(jobs, width) {
      const queue = [...jobs];
      const outcomes: Outcome[] = [];
      const worker = async () => {
        for (let job = queue.shift(); job && !interrupted; job = queue.shift()) {
          outcomes.push(await runJob(job));
        }
      };
      await Promise.all(Array.from({ length: width }, worker));
      return outcomes;
    },
    stop(signal) {
      interrupted ??= signal;
      for (const child of running) end(child);
    },
    get interrupted() {
      return interrupted;
    },
  };
}

/**
 * Lists the child and its descendants, with their state, age, CPU time and the system call in which they wait. Without
 * the list, a test that hangs leaves no trace of the step in which it hangs.
 */
function listProcesses({ pid }: ChildProcess): string {
  const columns = "pid,ppid,stat,etime,time,wchan,args";
  const { stdout, error } = spawnSync("ps", ["-ww", "-eo", columns], { encoding: "utf8" });
  if (error) return `The processes cannot be listed: ${error.message}`;
  const [head, ...lines] = stdout.trimEnd().split("\n");
  const listed = new Set([pid]);
  const ofJob = lines.filter((line) => {
    const [own, parent] = line.trim().split(/\s+/, 2).map(Number);
    const isOfJob = listed.has(own) || listed.has(parent);
    if (isOfJob) listed.add(own);
    return isOfJob;
  });
  return [head, ...ofJob].map((line) => line?.slice(0, 300)).join("\n");
}

function end(child: ChildProcess): void {
  signalGroup(child, "SIGTERM");
  setTimeout(() => signalGroup(child, "SIGKILL"), graceMs).unref();
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The process group has already ended.
  }
}

/**
 * The maximum time to wait for the last output. If a test leaves a process running, that process keeps the output open.
 */
const lastOutputMs = 500;

async function exitOf(child: ChildProcess): Promise<number> {
  const closed = once(child, "close");
  const [code, signal] = await once(child, "exit");
  await Promise.race([closed, sleep(lastOutputMs)]);
  return signal ? exitCodeOf(signal) : (code ?? 1);
}

/** Returns the exit code that a shell reports for a process ended by a signal. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * Returns the files that ran no test. The reporter lists such a file as if the file were a test. In a shared process,
 * Node can miss the tests of a file that takes long to load.
 */
function filesWithoutTests({ files }: Job, text: string): readonly string[] {
  const listed = new Set([...text.matchAll(/^✔ (\S+\.test\.tsx?) \(/gm)].map(([, file]) => file));
  return files.filter((file) => listed.has(file));
}

const failedTestsHeading = "✖ failing tests:";

/**
 * Returns whether the reporter lists a failed test. If only a hook outside of the tests failed, such as the check of a
 * database at the end of a file, Node lists the hook but exits with 0.
 */
function hasFailedTests(text: string): boolean {
  return text.split("\n").includes(failedTestsHeading);
}

/** Returns the files that the reporter's list of failed tests names, or all files of the job if it names none. */
function failedFilesOf({ files }: Job, text: string): readonly string[] {
  const named = new Set([...text.matchAll(/^test at (\S+?):\d+:\d+$/gm)].map(([, file]) => file));
  const failed = files.filter((file) => named.has(file));
  return failed.length > 0 ? failed : files;
}

/** The maximum length of the list of failed tests of one job in the summary. */
const maxFailuresLength = 6000;

/** Returns the part of the output that lists the failed tests, or its end if it has no such list. */
function failuresIn(text: string): string {
  const start = text.lastIndexOf(failedTestsHeading);
  return start < 0 ? text.slice(-maxFailuresLength) : text.slice(start, start + maxFailuresLength);
}

/**
 * Returns the report on a job: the titles and diagnostics of its tests or, if it failed, everything that it printed.
 */
function reportOf(job: Job, passed: boolean, seconds: number, text: string): string {
  const head = `── ${job.name}: ${passed ? "passed" : "FAILED"} in ${seconds.toFixed(1)} s`;
  if (!passed) return `${head}\n${text}`;
  const body = text.replace(
    /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*\n/gm,
    "",
  );
  return `${head}\n${body.trimEnd()}`;
}

export function printLine(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
