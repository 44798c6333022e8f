import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const here = import.meta.dirname;
const root = resolve(here, "..");

/** A build whose output is cached under a hash of its sources. */
export type CachedBuild = {
  /** The name of the build in messages and of its cache. */
  readonly name: string;
  /** The inputs: files and directories, relative to the repository root. */
  readonly sources: readonly string[];
  /** The script that writes the output into the directory in its first argument. */
  readonly script: string;
  /** A file that exists in every complete output. */
  readonly proof: string;
};

const dashboard: CachedBuild = {
  name: "dashboard",
  // The app, the contract and the exact versions of the libraries.
  sources: ["dashboard", "contract/src", "package-lock.json"],
  script: join(here, "build.ts"),
  proof: "index.html",
};

/** Returns the directory of the built app. */
export function builtDashboard({ fallback }: { fallback: string }): Promise<string> {
  return cachedBuild(dashboard, fallback);
}

/**
 * Returns the directory of the output. Runs the build only if its sources changed since an earlier build. The build
 * runs in a child process, so that the bundler does not stay in the memory of the long-running server. `fallback` is
 * used if the package directory is not writable, as in a read-only image.
 */
export async function cachedBuild(build: CachedBuild, fallback: string): Promise<string> {
  const hash = (await hashOfFiles(build.sources)).slice(0, 16);
  const cache = join(root, "node_modules/.cache", `florin-${build.name}`);
  const places = [join(cache, hash), join(fallback, hash)];
  for (const place of places) if (await isBuilt(build, place)) return place;
  const [first, second] = places as [string, string];
  return (
    (await buildInto(build, first)) ??
    (await buildInto(build, second)) ??
    throwNotWritable(build, places)
  );
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

async function isBuilt({ proof }: CachedBuild, place: string): Promise<boolean> {
  return access(join(place, proof)).then(
    () => true,
    () => false,
  );
}

/**
 * Builds into a temporary directory and then renames it to `place`, so that `place` never contains an incomplete build.
 * If two processes build at the same time, the build that is renamed first is used. Returns null if the directory is
 * not writable.
 */
async function buildInto(build: CachedBuild, place: string): Promise<string | null> {
  let unfinished: string;
  try {
    await mkdir(dirname(place), { recursive: true });
    unfinished = await mkdtemp(`${place}-`);
  } catch {
    return null;
  }
  try {
    await runBuild(build, unfinished);
    await rename(unfinished, place).catch(async (error) => {
      if (!(await isBuilt(build, place))) throw error;
    });
    await deleteOldBuilds(place);
    return place;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function runBuild({ name, script }: CachedBuild, outdir: string): Promise<void> {
  const child = spawn(process.execPath, [script, outdir], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) {
    throw new Error(`The build of the ${name} failed with exit code ${code}. Its output is above.`);
  }
}

/**
 * Deletes builds from older sources. Does not delete the newest five, because a running server may still serve them.
 */
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

function throwNotWritable({ name }: CachedBuild, places: readonly string[]): never {
  throw new Error(
    `Could not build the ${name}: neither ${places.join(" nor ")} is writable. Make one of them writable.`,
  );
}
