import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { transformSync } from "esbuild";

export const root = resolve(import.meta.dirname, "..");

/** A source file with the properties that the house rules need. Paths are relative to the repository. */
export type Source = {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
};

export type Import = {
  /** The specifier as written: `./charge.ts`, `@florin/contract/charge.ts`, `pg`. */
  readonly specifier: string;
  /** The imported file of this repository, or null for a package. */
  readonly target: string | null;
};

const skipped = /^(node_modules|dist|\..*)$/;

/** Returns every TypeScript file of the repository. */
export function readSources(): Source[] {
  return walk(root).map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, text, imports: importsOf(path, text) };
  });
}

function walk(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.test(entry.name)) return [];
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return walk(path);
    return /\.tsx?$/.test(entry.name) ? [relative(root, path)] : [];
  });
}

/**
 * Matches imports of values and of types, because both couple modules. The formatter puts every import at the start of
 * a line with double quotes, so the patterns find all imports.
 */
const patterns = [
  /^(?:import|export)\s(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm,
  /\bimport\(\s*"([^"]+)"\s*\)/g,
];

export function importsOf(path: string, text: string): Import[] {
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(([, specifier = ""]) => ({ specifier, target: targetOf(path, specifier) }));
}

/** Maps package names to files, as the `exports` of the workspaces do. */
const workspaces: readonly (readonly [RegExp, string])[] = [
  [/^@florin\/contract\/(.+)$/, "contract/src/$1"],
  [/^@florin\/server\/test\/(.+)$/, "server/test/$1"],
  [/^@florin\/server\/(.+)$/, "server/src/$1"],
  [/^@florin\/simulator\/(.+)$/, "simulator/src/$1"],
  [/^@florin\/shared-fake\/(.+)$/, "fakes/shared/src/$1"],
  [/^@florin\/adyen-fake\/(.+)$/, "fakes/adyen/src/$1"],
  [/^@florin\/stripe-fake\/(.+)$/, "fakes/stripe/src/$1"],
  [/^@florin\/checkout-com-fake\/(.+)$/, "fakes/checkout-com/src/$1"],
  [/^@florin\/embed\/(.+)$/, "embed/$1"],
  [/^@florin\/dashboard\/(.+)$/, "dashboard/$1"],
  [/^@florin\/sdk$/, "sdk/src/florin.ts"],
  [/^@florin\/sdk\/webhooks$/, "sdk/src/webhooks.ts"],
];

function targetOf(path: string, specifier: string): string | null {
  if (specifier.startsWith(".")) return join(dirname(path), specifier);
  for (const [pattern, replacement] of workspaces) {
    if (pattern.test(specifier)) return specifier.replace(pattern, replacement);
  }
  return null;
}

/**
 * Returns the possible paths of the files that this file names in strings, such as `"./deliver-in-child.ts"`. The file
 * may start these files as a child process or a worker.
 */
export function namedFiles({ path, text }: Source): string[] {
  return [...text.matchAll(/"([^"\s]+\.tsx?)"/g)].flatMap(([, name = ""]) => [
    join(dirname(path), name),
    name,
  ]);
}

/** The executable code of each file. Several rules read it, and transforming a file takes a millisecond. */
const codes = new WeakMap<Source, string>();

/** Returns the executable code without comments and types, so that a rule about calls matches only calls. */
export function runningCode(source: Source): string {
  const known = codes.get(source);
  if (known !== undefined) return known;
  const loader = source.path.endsWith("x") ? "tsx" : "ts";
  const { code } = transformSync(source.text, { loader, legalComments: "none", target: "esnext" });
  codes.set(source, code);
  return code;
}

/** Returns the text of the file, including types, without comment lines and trailing `//` comments. */
export function withoutComments({ text }: Source): string {
  return text
    .split("\n")
    .filter((line) => !/^\s*(\/\/|\/\*|\*)/.test(line))
    .map((line) => line.replace(/\s\/\/ .*$/, ""))
    .join("\n");
}

export function isTest(path: string): boolean {
  return /\.(test|fixture)\.tsx?$/.test(path) || /(^|\/)test\//.test(path);
}
