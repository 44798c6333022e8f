import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "./startup-error.ts";

/** The file of a backup that lists its data files. */
const manifestFile = "manifest.json";

/** The size and the SHA-256 of a file. */
export type FileSum = { readonly bytes: number; readonly sha256: string };

/** The data files of a backup, by their path relative to the data directory. */
export type Manifest = ReadonlyMap<string, FileSum>;

/**
 * Writes the manifest to the backup, and returns its SHA-256. A backup is copied to other disks, and a copy that was
 * interrupted lacks files, or has the beginning of a file. Postgres starts with such a copy, and the rows are missing
 * without an error.
 */
export async function writeManifest(backup: string, manifest: Manifest): Promise<string> {
  const text = `${JSON.stringify(Object.fromEntries(manifest), null, 1)}\n`;
  await writeFile(join(backup, manifestFile), text, { mode: 0o600, flush: true });
  return hash("sha256", text);
}

/**
 * Reads the manifest of a backup. `sha256` is its hash.
 *
 * @throws StartupError when the manifest is missing or differs.
 */
export async function readManifest(backup: string, sha256: string): Promise<Manifest> {
  const text = await readFile(join(backup, manifestFile), "utf8").catch(() => null);
  if (text === null) throw damaged(backup, `${manifestFile} is missing`);
  if (hash("sha256", text) !== sha256) throw damaged(backup, `${manifestFile} has other content`);
  return new Map(Object.entries(JSON.parse(text) as Record<string, FileSum>));
}

/**
 * Compares the files that were read from a backup with its manifest.
 *
 * @throws StartupError when a file is missing or differs.
 */
export function assertIntact(backup: string, manifest: Manifest, found: Manifest): void {
  for (const [path, expected] of manifest) {
    const sum = found.get(path);
    if (!sum) throw damaged(backup, `the file ${path} is missing`);
    if (sum.bytes !== expected.bytes) {
      throw damaged(backup, `the file ${path} has ${sum.bytes} bytes instead of ${expected.bytes}`);
    }
    if (sum.sha256 !== expected.sha256) throw damaged(backup, `the file ${path} has other content`);
  }
}

function damaged(backup: string, problem: string): StartupError {
  return new StartupError(
    `The backup ${backup} is damaged or was not copied completely: ${problem}. Use another copy of the backup, or another backup.`,
  );
}
