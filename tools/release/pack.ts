import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildReactPackage } from "../../embed/build-react.ts";
import { buildSdk } from "../../sdk/build.ts";
import { endProcess } from "../../server/src/platform/processes/end-process.ts";
import { buildBundles } from "../build.ts";
import { root } from "../source-tree.ts";
import { digest, provenance } from "./provenance.ts";
import { writeJson, writeServicePackage } from "./service-package.ts";

/** The directory into which `npm run pack` writes the packages. */
export const packagesDirectory = join(root, "dist/packages");

/**
 * `npm run pack` writes the npm packages into `dist/packages/`: `florin` (the service and its commands), `@florin/sdk`
 * and `@florin/react`, with a bill of materials, provenance and `SHA256SUMS`. Two builds of one commit are
 * byte-identical.
 */
export async function pack(): Promise<string[]> {
  await buildBundles();
  const staging = `${packagesDirectory}.new`;
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  const sources = join(staging, "sources");
  writeServicePackage(join(sources, "florin"));
  await buildSdk(join(sources, "sdk"));
  buildReactPackage(join(sources, "react"));
  const files = ["florin", "sdk", "react"].map((name) => packOne(join(sources, name), staging));
  const bill = join(staging, "florin.cdx.json");
  copyFileSync(join(sources, "florin/florin.cdx.json"), bill);
  files.push(bill);
  rmSync(sources, { recursive: true });
  writeJson(join(staging, "provenance.intoto.json"), provenance(files, commitOf()));
  files.push(join(staging, "provenance.intoto.json"));
  const sums = files.map((file) => `${digest("sha256", file)}  ${basename(file)}\n`);
  writeFileSync(join(staging, "SHA256SUMS"), sums.join(""));
  rmSync(packagesDirectory, { recursive: true, force: true });
  renameSync(staging, packagesDirectory);
  return files.map((file) => join(packagesDirectory, basename(file)));
}

/** Packs a directory and returns the tarball. npm writes a fixed time for every file. */
function packOne(directory: string, destination: string): string {
  const filename = execFileSync(
    "npm",
    ["pack", "--silent", "--ignore-scripts", "--pack-destination", destination],
    { cwd: directory, encoding: "utf8" },
  );
  return join(destination, filename.trim());
}

/** Returns the commit of the sources, with `-dirty` if a file differs from the commit. */
function commitOf(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  return git("rev-parse", "HEAD") + (git("status", "--porcelain") === "" ? "" : "-dirty");
}

if (import.meta.main) {
  const files = await pack();
  console.log(files.join("\n"));
  // Ends explicitly, because esbuild and vite may leave a child process running.
  endProcess(0);
}
