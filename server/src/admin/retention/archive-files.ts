import { createHash } from "node:crypto";
import { mkdtemp, open, readdir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { readCsv } from "../../acquiring/csv.ts";
import { idFromUuid } from "../../core/ids.ts";
import { makeDirectories } from "../../core/make-directories.ts";
import type { Scope } from "../../core/scope.ts";
import { unlessMissing } from "../../core/unless-missing.ts";
import type { ArchiveBatch, ArchivedRows } from "../../payments/commit/archive.sql.ts";
import { StartupError } from "../../platform/database/startup-error.ts";

/** The description of an archive, in the file `manifest.json` of its directory. */
export type Manifest = {
  readonly format: 1;
  readonly id: string;
  readonly account: string;
  readonly livemode: boolean;
  readonly written_at: string;
  /** The archived charges were created before this time. */
  readonly before: string;
  /** The name of the newest migration of the database, and the beginning of its checksum. */
  readonly schema: string;
  readonly charges: {
    readonly count: number;
    readonly first: string | null;
    readonly last: string | null;
  };
  readonly files: readonly ArchiveFile[];
};

export type ArchiveFile = {
  readonly table: string;
  readonly file: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly bytes: number;
  /** The SHA-256 of the compressed file. */
  readonly sha256: string;
  /** The SHA-256 of the CSV text. */
  readonly content_sha256: string;
};

/** An archive that was written and read back. */
export type WrittenArchive = {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly manifestSha256: Buffer;
  readonly bytes: number;
};

export class ArchiveDamaged extends Error {
  override name = "ArchiveDamaged";
}

const manifestName = "manifest.json";
const unfinishedPrefix = ".writing-";

/**
 * Returns rows as comma-separated values with a header. A null is an empty field, and an empty text is `""`. DuckDB,
 * Postgres and spreadsheets read this form.
 */
export function csvOf({ columns, rows }: Pick<ArchivedRows, "columns" | "rows">): Buffer {
  const lines = [columns, ...rows].map((cells) => cells.map(cellText).join(","));
  return Buffer.from(`${lines.join("\n")}\n`);
}

function cellText(cell: string | null): string {
  return cell === null ? "" : `"${cell.replaceAll('"', '""')}"`;
}

export function sha256(data: Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}

/**
 * Creates the directory of the archives if it is missing, and tests whether Florin can write there.
 *
 * @throws StartupError if Florin cannot.
 */
export async function assertArchiveWritable(root: string): Promise<void> {
  try {
    await makeDirectory(root);
    // The prefix lets `removeUnfinished` delete a directory that a killed process has left. Another process that begins
    // to archive may already have deleted this directory.
    await rmdir(await mkdtemp(join(root, unfinishedPrefix))).catch(unlessMissing);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `Florin cannot write to FLORIN_ARCHIVE, ${root} (${code}). Check that its disk is mounted, writable and not full, and that Florin has permission to write there, or set FLORIN_ARCHIVE to another directory.`,
      { cause: error },
    );
  }
}

/**
 * Returns the directory of an archive. The directory names sort by the time at which the archives were written, because
 * each name is a UUIDv7.
 */
export function directoryOf(root: string, { account, livemode }: Scope, id: string): string {
  return join(root, account, livemode ? "live" : "test", id);
}

/**
 * Writes an archive and reads it back. The files are written to a directory with another name, flushed to disk, and
 * then renamed, so that a directory with the final name is complete.
 */
export async function writeArchive(
  root: string,
  id: string,
  batch: ArchiveBatch,
  tables: readonly ArchivedRows[],
  about: Pick<Manifest, "written_at" | "before" | "schema">,
): Promise<WrittenArchive> {
  await makeDirectory(root);
  const unfinished = join(root, `${unfinishedPrefix}${id}`);
  await makeDirectory(unfinished);
  const files: ArchiveFile[] = [];
  for (const table of tables) {
    if (table.rows.length === 0) continue;
    const content = csvOf(table);
    const compressed = gzipSync(content);
    const file = `${table.table}.csv.gz`;
    await writeDurably(join(unfinished, file), compressed);
    files.push({
      table: table.table,
      file,
      columns: table.columns,
      rows: table.rows.length,
      bytes: compressed.length,
      sha256: sha256(compressed).toString("hex"),
      content_sha256: sha256(content).toString("hex"),
    });
  }
  const { charges, scope } = batch;
  const chargeId = (uuid: string | undefined) =>
    uuid === undefined ? null : idFromUuid("ch", uuid);
  const manifest: Manifest = {
    format: 1,
    id,
    account: scope.account,
    livemode: scope.livemode,
    ...about,
    charges: { count: charges.length, first: chargeId(charges[0]), last: chargeId(charges.at(-1)) },
    files,
  };
  await writeDurably(
    join(unfinished, manifestName),
    Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`),
  );
  await flushDirectory(unfinished);
  const directory = directoryOf(root, scope, id);
  await makeDirectory(dirname(directory));
  await rename(unfinished, directory);
  await flushDirectory(dirname(directory));
  return readArchive(directory);
}

/**
 * Reads an archive completely.
 *
 * @throws ArchiveDamaged when a file is missing, or differs from the manifest.
 */
export async function readArchive(directory: string): Promise<WrittenArchive> {
  const text = await readWhole(join(directory, manifestName));
  const manifest = parseManifest(text, directory);
  let bytes = text.length;
  for (const file of manifest.files) {
    await checkFile(join(directory, file.file), file);
    bytes += file.bytes;
  }
  return { directory, manifest, manifestSha256: sha256(text), bytes };
}

function parseManifest(text: Buffer, directory: string): Manifest {
  try {
    const manifest = JSON.parse(text.toString()) as Manifest;
    if (manifest.format === 1 && manifest.id === basename(directory)) return manifest;
  } catch {
    // A missing or malformed manifest is reported below.
  }
  throw new ArchiveDamaged(`${join(directory, manifestName)} is not the manifest of this archive.`);
}

async function checkFile(path: string, file: ArchiveFile): Promise<void> {
  const compressed = await readWhole(path);
  if (sha256(compressed).toString("hex") !== file.sha256) {
    throw new ArchiveDamaged(`The SHA-256 of ${path} differs from the manifest.`);
  }
  const content = gunzipSync(compressed);
  if (sha256(content).toString("hex") !== file.content_sha256) {
    throw new ArchiveDamaged(`The SHA-256 of the content of ${path} differs from the manifest.`);
  }
  let records = 0;
  for await (const record of readCsv([content.toString()])) {
    if (record.length !== file.columns.length) {
      throw new ArchiveDamaged(`${path} has a record with ${record.length} fields.`);
    }
    records += 1;
  }
  if (records !== file.rows + 1) {
    throw new ArchiveDamaged(`${path} has ${records - 1} rows. The manifest has ${file.rows}.`);
  }
}

async function readWhole(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new ArchiveDamaged(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Deletes the unfinished archives of interrupted runs. Their rows are still in the database. */
export async function removeUnfinished(root: string): Promise<void> {
  for (const name of await entriesOf(root)) {
    // Another process that tests the directory may have deleted its own entry in the meantime.
    if (name.startsWith(unfinishedPrefix))
      await rm(join(root, name), { recursive: true, force: true });
  }
}

/** Deletes an archive whose rows are still in the database. */
export async function removeArchive(directory: string): Promise<void> {
  await rm(directory, { recursive: true });
}

/** Returns the directories of complete archives. */
export async function listArchives(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const account of await entriesOf(root)) {
    if (!account.startsWith("acct_")) continue;
    for (const mode of ["test", "live"]) {
      for (const id of await entriesOf(join(root, account, mode)))
        found.push(join(root, account, mode, id));
    }
  }
  return found.sort();
}

/**
 * Moves an archive that is not listed in the database to another directory. The run that wrote the archive ended before
 * the rows were deleted, so the rows will be archived again. A query over all archives would otherwise count them
 * twice.
 */
export async function moveToUnrecorded(root: string, directory: string): Promise<string> {
  const target = join(root, "unrecorded", basename(directory));
  await makeDirectory(dirname(target));
  await rename(directory, target);
  return target;
}

async function entriesOf(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
}

/**
 * Creates a directory and its missing parents, and flushes them to disk. Otherwise a power failure could lose a new
 * directory with its files. Archives contain personal data, so only the owner can read them.
 */
async function makeDirectory(path: string): Promise<void> {
  const first = await makeDirectories(path);
  if (first === null) return;
  const existing = dirname(first);
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    await flushDirectory(parent);
    if (parent.length <= existing.length) return;
  }
}

async function writeDurably(path: string, data: Buffer): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function flushDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
