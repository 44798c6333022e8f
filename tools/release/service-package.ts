import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundlesDirectory } from "../../cli/browser-bundles.ts";
import { versions } from "../../contract/src/versions.ts";
import {
  billOfMaterials,
  type LockedPackage,
  type Lockfile,
  productionRoots,
  reachedFrom,
  readLockfile,
} from "../sbom.ts";
import { root } from "../source-tree.ts";
import { compileService } from "./compile-service.ts";

/** The workspaces whose code the package contains. */
const workspaces = ["cli", "contract", "server", "simulator", "sdk", "examples/shop"];

/**
 * Files that the service or an operator reads, in the folders of the repository. The output of commands names pages in
 * `docs`. The service serves the same pages, but an operator also needs them while the service does not run.
 */
export const copied = [
  "server/src/platform/database/migrations",
  "examples/shop/public",
  "cli/node-flags.json",
  "deploy",
  "docs/decisions",
  "docs/guides",
  "docs/operating",
  "docs/reference",
  "docs/states.md",
  "docs/vocabulary.md",
  "CHANGELOG.md",
  "LICENSE",
];

/**
 * Writes the npm package `florin`, the service and its commands, into a directory. `npm pack` packs the directory. The
 * browser bundles must have been built before. The package contains the code of every dependency, so that the hash of
 * the tarball covers all code that runs. npm ignores a lockfile in a tarball, and would install later versions of
 * indirect dependencies. Only Node and PostgreSQL are separate packages, one for each platform.
 */
export function writeServicePackage(outdir: string): void {
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const { packages } = compileService(outdir);
  for (const path of copied) cpSync(join(root, path), join(outdir, path), { recursive: true });
  cpSync(bundlesDirectory, join(outdir, "dist/bundles"), { recursive: true });
  cpSync(join(root, "cli/launch.mjs"), join(outdir, "bin/florin.js"));
  cpSync(join(root, "cli/start-node.mjs"), join(outdir, "bin/start-node.mjs"));
  cpSync(join(root, "cli/README.md"), join(outdir, "README.md"));
  const production = productionPackages(readLockfile());
  for (const path of production.bundled) copyPackage(path, outdir);
  writeJson(join(outdir, "package.json"), packageManifest(packages, production.byPlatform));
  writeJson(join(outdir, "florin.lock.json"), { packages: production.locked });
  writeJson(join(outdir, "florin.cdx.json"), billOfMaterials(readLockfile()));
}

/** Returns the paths of the production packages, and the versions of those packages that differ by platform. */
function productionPackages(lockfile: Lockfile) {
  const paths = [...reachedFrom(lockfile, productionRoots).keys()]
    .filter((path) => path.includes("node_modules/"))
    .sort();
  const misplaced = paths.find((path) => !path.startsWith("node_modules/"));
  if (misplaced) throw new Error(`${misplaced} is not in the root's node_modules`);
  const locked = Object.fromEntries(
    paths.map((path) => [path, lockfile.packages[path] as LockedPackage]),
  );
  const byPlatform = Object.entries(locked).filter(([, { os }]) => os !== undefined);
  return {
    locked,
    bundled: paths.filter((path) => locked[path]?.os === undefined),
    byPlatform: Object.fromEntries(
      byPlatform.map(([path, { version = "" }]) => [path.slice("node_modules/".length), version]),
    ),
  };
}

/**
 * Type declarations, TypeScript sources and source maps, which Node does not load. They are nearly half of the files.
 */
const notLoaded = /\.(map|[cm]?ts)$/;

/** Copies an installed package without the packages below it, which have their own entries in the lockfile. */
function copyPackage(path: string, outdir: string): void {
  const from = join(root, path);
  cpSync(from, join(outdir, path), {
    recursive: true,
    filter: (source) =>
      !source.slice(from.length).startsWith("/node_modules") && !notLoaded.test(source),
  });
}

/** Returns the package.json. Rejects an import of a package that is not a production dependency. */
function packageManifest(
  imported: ReadonlySet<string>,
  optionalDependencies: Readonly<Record<string, string>>,
) {
  const manifests = workspaces.map((workspace): { dependencies?: Record<string, string> } =>
    JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8")),
  );
  const declared = Object.assign({}, ...manifests.map(({ dependencies }) => dependencies));
  const dependencies = Object.fromEntries(
    [...imported].sort().map((name): [string, string] => {
      if (declared[name] === undefined) throw new Error(`${name} is not a production dependency`);
      return [name, declared[name]];
    }),
  );
  return {
    name: "florin",
    version: versions.service,
    description: "A card payments service that you run yourself",
    license: "Apache-2.0",
    type: "module",
    engines: { node: ">=20.19" },
    bin: { florin: "bin/florin.js" },
    exports: { "./package.json": "./package.json" },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    optionalDependencies,
  };
}

export function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
