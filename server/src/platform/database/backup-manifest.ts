import { hash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unlessMissing } from "../../core/unless-missing.ts";
import { StartupError } from "./startup-error.ts";

/** The file of a backup that lists its other files. */
export const manifestFile = "manifest.json";

/** The size and the SHA-256 of a file. */
export type FileSum = { readonly bytes: number; readonly sha256: string };

/** The files of the database in a backup, by their path relative to the data directory. */
export type Manifest = ReadonlyMap<string, FileSum>;

/** The data directory in a backup. */
export const dataDirectory = "postgres/data";

/** The path of the superuser's password, relative to the data directory. */
export const passwordPath = "../password";

/**
 * Writes the manifest to the backup, and returns its SHA-256. A restore compares the backup with the manifest, because
 * a backup is copied to other disks, and files of an interrupted copy are missing or incomplete. Postgres would start
 * with such a copy, and rows would be missing without an error.
 */
export async function writeManifest(backup: string, manifest: Manifest): Promise<string> {
  const text = `${JSON.stringify(Object.fromEntries(manifest), null, 1)}\n`;
  await writeFile(join(backup, manifestFile), text, { mode: 0o600, flush: true });
  return hash("sha256", text);
}

/**
 * Reads the manifest of a backup. `sha256` is its expected hash.
 *
 * @throws StartupError when the manifest is missing or differs.
 */
export async function readManifest(backup: string, sha256: string): Promise<Manifest> {
  const text = await readFile(join(backup, manifestFile), "utf8").catch(() => null);
  if (text === null) throw damagedBackup(backup, `the file ${manifestFile} is missing`);
  if (hash("sha256", text) !== sha256) {
    throw damagedBackup(backup, `the file ${manifestFile} has different content`);
  }
  return new Map(Object.entries(JSON.parse(text) as Record<string, FileSum>));
}

/**
 * Compares the paths and the sizes of the files of a backup with its manifest, without reading the files.
 *
 * @throws StartupError when a file is missing or has another size.
 */
export async function assertSizes(backup: string, manifest: Manifest): Promise<void> {
  for (const [path, expected] of manifest) {
    const found = await stat(join(backup, dataDirectory, path)).catch(unlessMissing);
    assertSize(backup, path, expected, found?.size);
  }
}

/**
 * Compares the files that were read from a backup with its manifest.
 *
 * @throws StartupError when a file is missing or differs.
 */
export function assertIntact(backup: string, manifest: Manifest, found: Manifest): void {
  for (const [path, expected] of manifest) {
    const sum = found.get(path);
    assertSize(backup, path, expected, sum?.bytes);
    if (sum?.sha256 !== expected.sha256) {
      throw damagedBackup(backup, `the file ${inBackup(path)} has different content`);
    }
  }
}

function assertSize(
  backup: string,
  path: string,
  expected: FileSum,
  bytes: number | undefined,
): void {
  if (bytes === expected.bytes) return;
  throw damagedBackup(
    backup,
    bytes === undefined
      ? `the file ${inBackup(path)} is missing`
      : `the file ${inBackup(path)} has ${bytes} bytes instead of ${expected.bytes}`,
  );
}

/** Returns the path relative to the backup. */
function inBackup(path: string): string {
  return join(dataDirectory, path);
}

/** Returns the error for a backup that was changed or is incomplete. */
export function damagedBackup(backup: string, problem: string): StartupError {
  return new StartupError(
    `The backup ${backup} is damaged or was not copied completely: ${problem}. Use another copy of the backup, or another backup.`,
  );
}
