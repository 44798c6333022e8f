import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Creates a directory and its missing parents, which only this user can access. Returns the first directory that it
 * created, or null if the directory exists.
 *
 * Node's `mkdir` with `recursive` never returns if the file system reports ENOENT although the parent exists, as /proc
 * does. Here, this error is thrown.
 */
export async function makeDirectories(path: string): Promise<string | null> {
  const missing: string[] = [];
  for (let above = resolve(path); !(await isDirectory(above)); above = dirname(above)) {
    missing.unshift(above);
    // A root that does not exist, such as a missing drive, has no parent.
    if (above === dirname(above)) break;
  }
  for (const directory of missing) {
    await mkdir(directory, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
      // Another process may have created the directory in the meantime.
      if (error.code !== "EEXIST" || !(await isDirectory(directory))) throw error;
    });
  }
  return missing[0] ?? null;
}

/** Returns whether the path is a directory. Returns false for a file, which makes the creation fail with EEXIST. */
async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return false;
  }
}
