import { dirname, join } from "node:path";
import type { Source } from "./source-tree.ts";

/**
 * The suffixes of test files. A test gets the first suffix in this list for which the test loads or starts one of the
 * files in `needs`.
 */
const suffixes = [
  { suffix: ".browser.test", needs: ["tools/chromium.ts"] },
  { suffix: ".api.test", needs: ["server/src/app.ts", "cli/florin.ts"] },
  { suffix: ".db.test", needs: ["server/src/platform/database/embedded.ts"] },
] as const;

/** Matches test files that only `npm run prove` runs. These files have a separate suffix. */
const longDose = /\.prove\.test\.tsx?$/;

const anySuffix = /(?:\.(?:browser|api|db))?\.test(?=\.tsx?$)/;

/**
 * Returns the name that a test file should have: `.browser.test.ts` if it starts Chromium, `.api.test.ts` if it starts
 * the service or a command, `.db.test.ts` if it starts Postgres, and `.test.ts` if it needs only Node.
 */
export function expectedName(test: Source, sources: ReadonlyMap<string, Source>): string {
  if (longDose.test(test.path)) return test.path;
  const reached = reachedAtRuntime(test, sources);
  const found = suffixes.find(({ needs }) => needs.some((file) => reached.has(file)));
  return test.path.replace(anySuffix, found?.suffix ?? ".test");
}

/** Returns the files that a test loads, and the files that a test starts as a process or a worker. */
function reachedAtRuntime(test: Source, sources: ReadonlyMap<string, Source>): Set<string> {
  const reached = new Set([test.path]);
  for (const path of reached) {
    const source = sources.get(path);
    if (source) for (const target of loadedBy(source)) reached.add(target);
  }
  return reached;
}

/** Matches `import type … from "…"`, which loads nothing. */
const typeImport = /^(?:import|export) type\s[^"';]*?\sfrom\s+"([^"]+)"/gm;

/** Matches the file name in `join(import.meta.dirname, "child.ts")` and `new URL("./child.ts", import.meta.url)`. */
const startedFile =
  /import\.meta\.dirname,\s*"([^"\s]+\.tsx?)"|"([^"\s]+\.tsx?)",\s*import\.meta\.url/g;

/** The files that each file loads. Most tests reach the same files. */
const loaded = new WeakMap<Source, readonly string[]>();

function loadedBy(source: Source): readonly string[] {
  const known = loaded.get(source);
  if (known) return known;
  const { path, text, imports } = source;
  const types = new Set([...text.matchAll(typeImport)].map(([, specifier]) => specifier));
  const started = [...text.matchAll(startedFile)].map(([, name, url]) =>
    join(dirname(path), name ?? url ?? ""),
  );
  const imported = imports
    .filter(({ specifier }) => !types.has(specifier))
    .flatMap(({ target }) => target ?? []);
  const files = [...imported, ...started];
  loaded.set(source, files);
  return files;
}
