import { lstat, mkdir, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { makeDirectories } from "../../core/make-directories.ts";
import { unlessMissing } from "../../core/unless-missing.ts";
import { isAlive, syncDirectory } from "./embedded-cluster.ts";
import { StartupError } from "./startup-error.ts";

/**
 * Creates the directory `target` atomically. `fill` writes to a staging directory beside it, which is renamed when it
 * is complete. On failure the staging directory is removed and the name stays free. `beforeRemoval` is called with each
 * staging directory that a killed process left, before the directory is removed.
 *
 * `fill` must flush the files and directories that it creates to disk. This function flushes the renamed directory.
 *
 * @throws StartupError when the target cannot be used or its disk is full.
 */
export async function makeStaged<Result>(
  target: string,
  fill: (staging: string) => Promise<Result>,
  beforeRemoval: (abandoned: string) => Promise<void> = async () => undefined,
): Promise<Result> {
  const realTarget = await prepareTarget(resolve(target)).catch(explainCreation(target));
  await removeAbandoned(realTarget, beforeRemoval);
  const staging = `${realTarget}${stagingMark}${process.pid}`;
  await mkdir(staging, { mode: 0o700 }).catch(explainCreation(target));
  try {
    const result = await fill(staging);
    await syncDirectory(staging);
    await rename(staging, realTarget);
    await syncDirectory(dirname(realTarget));
    return result;
  } catch (error) {
    await rm(staging, { recursive: true, force: true }).catch(() => undefined);
    const { path } = error as NodeJS.ErrnoException;
    // An error with the path of another file, such as a file of the database that is copied, is not about the target.
    if (path !== undefined && !path.startsWith(realTarget)) throw error;
    throw explained(target, error);
  }
}

const stagingMark = ".partial-";

/** Returns the real path of `target` after creating its parents. Rejects it unless it is empty or absent. */
async function prepareTarget(target: string): Promise<string> {
  await makeParents(dirname(target));
  const found = await stat(target).catch(unlessMissing);
  if (!found) return join(await realpath(dirname(target)), basename(target));
  if (!found.isDirectory()) throw new StartupError(`${target} is a file. Choose another name.`);
  if ((await readdir(target)).length > 0)
    throw new StartupError(`${target} exists and is not empty. Choose another name.`);
  const realTarget = await realpath(target);
  if (found.dev !== (await stat(dirname(realTarget))).dev) throw mountPoint(target);
  return realTarget;
}

async function makeParents(parent: string): Promise<void> {
  const first = await makeDirectories(parent);
  if (first === null) return;
  const above = dirname(first);
  for (let created = parent; created !== above; created = dirname(created))
    await syncDirectory(created);
  await syncDirectory(above);
}

/** Removes the staging directories of killed processes. Those of running processes are still in use. */
async function removeAbandoned(
  realTarget: string,
  beforeRemoval: (abandoned: string) => Promise<void>,
): Promise<void> {
  for (const { directory, isInUse } of await listStaging(realTarget)) {
    if (isInUse) continue;
    await beforeRemoval(directory);
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Removes the staging directories that killed processes have left for any target in the same parent directory, and
 * returns their paths. `isExpected` checks the names in a directory, so that nothing else is removed. Other machines
 * can share the file system, and their process ids mean nothing here. Therefore, only directories in which nothing has
 * changed for 12 hours are removed.
 */
export async function removeAbandonedBeside(
  target: string,
  isExpected: (names: readonly string[]) => boolean,
  now: Date,
): Promise<string[]> {
  const parent = dirname(target);
  const removed: string[] = [];
  for (const name of await readdir(parent)) {
    const mark = name.lastIndexOf(stagingMark);
    const ownerPid = name.slice(mark + stagingMark.length);
    if (mark < 1 || !/^\d+$/.test(ownerPid) || isAlive(Number(ownerPid))) continue;
    const directory = join(parent, name);
    try {
      if (!isExpected(await readdir(directory))) continue;
      if (now.getTime() - (await lastChangeMs(directory)) < abandonedAfterMs) continue;
      await rm(directory, { recursive: true });
      removed.push(directory);
    } catch {
      // Another user owns the directory, or another process has just removed or renamed it.
    }
  }
  return removed;
}

const abandonedAfterMs = 12 * 60 * 60 * 1000;

/** Returns the time of the last change in a directory, which programs cannot set, unlike the modification time. */
async function lastChangeMs(directory: string): Promise<number> {
  let last = (await lstat(directory)).ctimeMs;
  for (const name of await readdir(directory, { recursive: true })) {
    last = Math.max(last, (await lstat(join(directory, name))).ctimeMs);
  }
  return last;
}

/** A staging directory of `makeStaged`, which a running process fills or a killed process has left. */
type Staging = { readonly directory: string; readonly isInUse: boolean };

/** Returns the staging directories of a target. Returns none if the target's parent does not exist. */
export async function listStaging(target: string): Promise<Staging[]> {
  const prefix = `${basename(target)}${stagingMark}`;
  const names = await readdir(dirname(target)).catch(unlessMissing);
  return (names ?? [])
    .filter((name) => name.startsWith(prefix))
    .map((name) => {
      const ownerPid = Number(name.slice(prefix.length));
      // Process ids are soon reused in a container. A killed process may have had the id of this process.
      const isInUse = ownerPid !== process.pid && isAlive(ownerPid);
      return { directory: join(dirname(target), name), isInUse };
    });
}

/** Returns a StartupError if an operator can fix the error, and otherwise the error itself. */
function explained(target: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const startupError = (sentence: string) => new StartupError(sentence, { cause: error });
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return startupError(
        `The disk of ${target} is full. Free some space, or choose a directory on another disk.`,
      );
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return startupError(
        `Florin cannot create ${target} (${code}). Give Florin write permission for the parent directory, or choose a directory on a writable disk.`,
      );
    case "ENOTDIR":
    case "EEXIST":
      return startupError(
        `Florin cannot create ${target}, because a file has the name of this or of a parent directory. Choose another name.`,
      );
    case "ENOTEMPTY":
      return startupError(`Another process created ${target} first. Choose another name.`);
    case "EBUSY":
    case "EXDEV":
      return mountPoint(target);
    default:
      return error;
  }
}

/**
 * Returns a function for an error that occurs before the first file is written. It throws an error that explains the
 * cause to the operator. Some file systems, such as /proc, reject a new directory with an unexpected code.
 */
function explainCreation(target: string): (error: unknown) => never {
  return (error) => {
    const known = explained(target, error);
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (known !== error || syscall === undefined) throw known;
    throw new StartupError(`Florin cannot create ${target} (${code}). Choose another directory.`, {
      cause: error,
    });
  };
}

/**
 * Returns the error for a mount point. A mount point cannot be the target of a rename, and its parent is on another
 * disk.
 */
function mountPoint(target: string): StartupError {
  return new StartupError(
    `${target} is a mount point. Choose a directory inside it, such as ${join(target, "florin")}.`,
  );
}
