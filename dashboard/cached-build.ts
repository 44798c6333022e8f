import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const here = import.meta.dirname;
const root = resolve(here, "..");

/** The inputs of the build: the app, the contract and the exact versions of the libraries. */
const sources = ["dashboard", "contract/src", "package-lock.json"];

/**
 * Returns the directory of the built app. Builds the app only if its sources changed since an earlier build. The build
 * runs in a child process, so that the bundler does not stay in the memory of the long-running server. `fallback` is
 * used if the package directory is not writable, as in a read-only image.
 */
export async function builtDashboard({ fallback }: { fallback: string }): Promise<string> {
  const name = (await hashOfFiles(sources)).slice(0, 16);
  const places = [join(root, "node_modules/.cache/florin-dashboard", name), join(fallback, name)];
  for (const place of places) if (await isBuilt(place)) return place;
  const [first, second] = places as [string, string];
  return (await buildInto(first)) ?? (await buildInto(second)) ?? throwNotWritable(places);
}

/**
 * Returns a hash of the given files and directories, whose paths are relative to the repository root. Excludes tests.
 */
export async function hashOfFiles(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const source of paths) {
    for (const file of await filesOf(join(root, source))) {
      hash
        .update(file.slice(root.length))
        .update("\0")
        .update(await readFile(file))
        .update("\0");
    }
  }
  return hash.digest("hex");
}

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => null);
  if (!entries) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\/(node_modules|dist)\/|\.test\.tsx?$/.test(file))
    .sort();
}

async function isBuilt(place: string): Promise<boolean> {
  return access(join(place, "index.html")).then(
    () => true,
    () => false,
  );
}

/**
 * Builds into a temporary directory and renames it, so that `place` is always complete. Of two concurrent builds, the
 * first one is kept. Returns null if the directory is not writable.
 */
async function buildInto(place: string): Promise<string | null> {
  let unfinished: string;
  try {
    await mkdir(dirname(place), { recursive: true });
    unfinished = await mkdtemp(`${place}-`);
  } catch {
    return null;
  }
  try {
    await runBuild(unfinished);
    await rename(unfinished, place).catch(async (error) => {
      if (!(await isBuilt(place))) throw error;
    });
    await deleteOldBuilds(place);
    return place;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function runBuild(outdir: string): Promise<void> {
  const child = spawn(process.execPath, [join(here, "build.ts"), outdir], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) {
    throw new Error(`The dashboard build failed with exit code ${code}. Its output is above.`);
  }
}

/** Deletes the builds of older sources. Keeps the newest five, because a running server may still serve them. */
async function deleteOldBuilds(place: string): Promise<void> {
  const kept = 5;
  const names = await readdir(dirname(place), { withFileTypes: true });
  const built = names.filter((entry) => entry.isDirectory() && /^[0-9a-f]{16}$/.test(entry.name));
  if (built.length <= kept) return;
  const stats = await Promise.all(
    built.map(async ({ name }) => {
      const directory = join(dirname(place), name);
      const { mtimeMs } = await stat(directory);
      return { directory, mtimeMs };
    }),
  );
  const oldest = stats.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(kept);
  await Promise.all(oldest.map(({ directory }) => rm(directory, { recursive: true, force: true })));
}

function throwNotWritable(places: readonly string[]): never {
  throw new Error(`Could not build the dashboard: neither ${places.join(" nor ")} is writable.`);
}
