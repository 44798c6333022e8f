import { readSources, type Source } from "./source-tree.ts";

/**
 * The file from which a test imports its dose, which is its number of repetitions. A test that imports this file runs
 * in both `npm test` and `npm run prove`.
 */
const doseFile = "server/test/test-size.ts";

/**
 * Matches code that also affects the other files of a process: hooks around every test, replaced globals, clocks, trusted
 * certificates, environment variables, and calls that wait for a child process. While such a call waits, a service in
 * the same process reads nothing, and closes connections whose requests it has not read within 10 s.
 */
const affectsProcess =
  /\b(?:beforeEach|afterEach|mock\.|globalThis|performance\.now|setDefaultCACertificates|execSync|execFileSync|spawnSync)\b|\bprocess\.env\.\w+ =/;

export type TestFiles = {
  /** The files of `npm test`. */
  readonly test: readonly string[];
  /**
   * The files of `npm run prove`: those that import the dose, and those named `.prove.test.ts`, which only `npm run
   * prove` runs.
   */
  readonly prove: readonly string[];
  /** The files of `npm test` that can run in one process with other files of the same kind. */
  readonly shared: readonly SharedFiles[];
};

export type SharedFiles = {
  readonly files: ReadonlySet<string>;
  /** The maximum number of files per process. */
  readonly perProcess: number;
};

/**
 * The kinds of files that share a process. A short file spends half of its CPU time on loading the code that it tests:
 * five files of the service take 7 s in one process and 14 s in separate processes. The number of files per process is
 * limited for two reasons. The services of all files of a process run until the last file has ended, and there must be
 * enough processes to keep every core busy until the end.
 */
const sharedKinds = [
  { path: /(?<!\.(?:api|db|browser))\.test\.tsx?$/, perProcess: 60 },
  // Excludes the simulations, because they run for long and start servers and workers in separate processes. Excludes
  // the test of settlement reports, because it measures the event loop.
  {
    path: /^(?!server\/test\/simulation\/|server\/src\/acquiring\/connections\/settlement-report).*\.db\.test\.ts$/,
    perProcess: 12,
  },
  // Excludes the tests of `cli/` and the simulations, because they start the service in separate processes. Excludes
  // the conformance suite, which is as long as a group, and two long tests that measure the event loop or send many
  // requests.
  {
    path: /^(?!cli\/|server\/test\/(?:simulation\/|conformance\/acquirers|api\/(?:event-loop|hostile-input))).*\.api\.test\.ts$/,
    perProcess: 16,
  },
  // Excludes the journeys, which start the service in a separate process.
  { path: /^(?!journeys\/).*\.browser\.test\.tsx?$/, perProcess: 6 },
];

export function testFiles(): TestFiles {
  const sources = readSources();
  const all = sources.filter(({ path }) => /\.test\.tsx?$/.test(path));
  const importers = importersOf(doseFile, sources);
  const hasDose = ({ path }: Source) => importers.has(path);
  const isOnlyForProve = ({ path }: Source) => /\.prove\.test\.tsx?$/.test(path);
  const pathsOf = (files: readonly Source[]) => files.map(({ path }) => path);
  const test = all.filter((file) => !isOnlyForProve(file));
  const shareable = test.filter((file) => !affectsProcess.test(file.text));
  return {
    test: pathsOf(test),
    prove: pathsOf(all.filter((file) => isOnlyForProve(file) || hasDose(file))),
    shared: sharedKinds.map(({ path: kind, perProcess }) => ({
      files: new Set(pathsOf(shareable.filter(({ path }) => kind.test(path)))),
      perProcess,
    })),
  };
}

/** Returns the paths of the files that import this file, directly or through other files. */
function importersOf(file: string, sources: readonly Source[]): ReadonlySet<string> {
  const found = new Set([file]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { path, imports } of sources) {
      if (imports.some(({ target }) => target !== null && found.has(target))) found.add(path);
    }
  }
  return found;
}
