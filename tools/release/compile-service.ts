import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, relative } from "node:path";
import { importsOf, isTest, namedFiles, root } from "../source-tree.ts";

/** The files that the package runs as separate processes. */
const entryPoints = ["cli/florin.ts", "cli/worker.ts", "examples/shop/shop.ts"];

/** A module that builds the browser's bundles with development packages. The npm package contains the built bundles. */
const leftOut: ReadonlySet<string> = new Set(["cli/development-bundles.ts"]);

/** The files of the service as JavaScript, and the names of the npm packages that they import. */
export type CompiledService = {
  readonly files: readonly string[];
  readonly packages: ReadonlySet<string>;
};

/**
 * Writes every module that the entry points reach as JavaScript, in the same folders. Node's own type stripping
 * replaces types with spaces, so each line and column in a stack trace is that of the source file. Only the imports of
 * workspaces and the extension `.ts` are rewritten.
 */
export function compileService(outdir: string): CompiledService {
  const reached = new Set(entryPoints);
  const packages = new Set<string>();
  for (const path of reached) {
    const text = stripTypeScriptTypes(readFileSync(join(root, path), "utf8"), { mode: "strip" });
    const { code, needed } = rewrite(path, text);
    for (const target of needed.files) if (!leftOut.has(target)) reached.add(target);
    for (const name of needed.packages) packages.add(name);
    const file = join(outdir, path.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
  return { files: [...reached].sort(), packages };
}

function rewrite(path: string, text: string) {
  const files = new Set<string>();
  const packages = new Set<string>();
  let code = text;
  for (const { specifier, target } of importsOf(path, text)) {
    if (target === null) {
      if (!specifier.startsWith("node:")) packages.add(packageOf(specifier));
      continue;
    }
    files.add(target);
    code = code.replaceAll(`"${specifier}"`, JSON.stringify(specifierOf(path, target)));
  }
  // Files that are started as a worker or a child process: new URL("./evidence-thread.ts", import.meta.url).
  for (const name of namedFiles({ path, text: code, imports: [] })) {
    if (isTest(name) || !existsSync(join(root, name)) || !name.startsWith(dirname(path))) continue;
    files.add(name);
  }
  code = code.replaceAll(/"((?:\.\.?\/)*[\w./-]+)\.ts"/g, (written, name: string) =>
    existsSync(join(root, dirname(path), `${name}.ts`)) ? `"${name}.js"` : written,
  );
  // Packages whose files the service reads, such as a font.
  for (const [, specifier = ""] of code.matchAll(
    /\b(?:import\.meta\.resolve\((?=")|resolve\((?="[^"]+\/))"([^"]+)"\)/g,
  )) {
    packages.add(packageOf(specifier));
  }
  return { code, needed: { files, packages } };
}

function specifierOf(from: string, target: string): string {
  const path = relative(dirname(from), target).replace(/\.ts$/, ".js");
  return path.startsWith(".") ? path : `./${path}`;
}

/** Returns `@scope/name` of `@scope/name/file`, and `name` of `name/file`. */
function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
