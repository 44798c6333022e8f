import { readSources } from "./source-tree.ts";

/** The file that gives a test its dose. A test that imports it runs in both `npm test` and `npm run prove`. */
const doseFile = "server/test/test-size.ts";

/** Tests of the service over HTTP spend half of their time on loading it. Those in `cli/` load it in another process. */
const loadsService = /^(?!cli\/).*\.api\.test\.ts$/;

/** Matches code that also affects the other files of a process: hooks around every test, replaced globals, clocks. */
const affectsProcess = /\b(?:beforeEach|afterEach|mock\.|globalThis|performance\.now)\b/;

export type TestFiles = {
  /** The files of `npm test`. */
  readonly test: readonly string[];
  /** The files of `npm run prove`: those with a dose, and those named `.prove.test.ts`, which only it runs. */
  readonly prove: readonly string[];
  /** The files of `npm test` that can run in one process with others of these. */
  readonly shared: ReadonlySet<string>;
};

export function testFiles(): TestFiles {
  const all = readSources().filter(({ path }) => /\.test\.tsx?$/.test(path));
  const isOnlyForProve = (path: string) => /\.prove\.test\.tsx?$/.test(path);
  return {
    test: all.map(({ path }) => path).filter((path) => !isOnlyForProve(path)),
    prove: all
      .filter(
        ({ path, imports }) =>
          isOnlyForProve(path) || imports.some(({ target }) => target === doseFile),
      )
      .map(({ path }) => path),
    shared: new Set(
      all
        .filter(
          ({ path, text, imports }) =>
            loadsService.test(path) &&
            !affectsProcess.test(text) &&
            imports.every(({ target }) => target !== doseFile),
        )
        .map(({ path }) => path),
    ),
  };
}
