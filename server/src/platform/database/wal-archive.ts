import { randomBytes } from "node:crypto";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectories } from "../../core/make-directories.ts";
import { type Cluster, syncDirectory } from "./embedded-cluster.ts";
import { giveTo } from "./embedded-system-user.ts";
import { StartupError } from "./startup-error.ts";
import { isSegment, segmentName, segmentNumber } from "./wal-segment.ts";

/** The setting of the module `basic_archive` that names the directory. */
export const archiveSetting = "basic_archive.archive_directory";

/**
 * Returns the settings with which Postgres archives its write-ahead log.
 *
 * PostgreSQL's module `basic_archive` flushes each segment to disk before it reports the segment as archived, and never
 * changes the content of an archived file. Postgres keeps a segment until it is archived. A segment that is not full is
 * archived after a minute, so that the loss of the disk loses at most the last minute.
 */
export async function prepareWalArchive(
  cluster: Cluster,
  archive: string,
): Promise<Record<string, string>> {
  const known = await readArchive(cluster);
  const name = known?.name ?? randomBytes(8).toString("hex");
  const directory = join(archive, name);
  const isNew = known?.archive !== archive;
  try {
    if (isNew) await makeDirectories(directory);
    // An existing directory is not created again: if the archive's disk were not mounted, the new directory would be on
    // the disk of the database.
    else await assertMounted(archive, directory);
    await giveTo(cluster.user, directory);
    await syncDirectory(archive);
    if (isNew) await writeArchive(cluster, { name, archive });
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `Florin cannot write to FLORIN_WAL_ARCHIVE, ${archive} (${code}). Check that its disk is mounted, writable and not full, and that Florin has permission to write there, or set FLORIN_WAL_ARCHIVE to another directory.`,
      { cause: error },
    );
  }
  return {
    archive_mode: "on",
    archive_library: "basic_archive",
    archive_timeout: "60s",
    [archiveSetting]: directory,
  };
}

/**
 * Rejects an archive whose disk is not mounted. On a mounted disk, the archive contains the directory that the cluster
 * created earlier.
 */
async function assertMounted(archive: string, directory: string): Promise<void> {
  const found = await stat(directory).catch(() => null);
  if (found?.isDirectory()) return;
  throw new StartupError(
    `FLORIN_WAL_ARCHIVE is ${archive}, but the archived log of this database, ${directory}, does not exist. Mount the archive's disk. If the archive was deleted, create the directory ${directory}, start Florin, and take a backup.`,
  );
}

/**
 * The name of a file in the cluster's home. The first line of the file is the name of the cluster's directory in the
 * archive, and the second line is the path of the archive.
 */
const nameFile = "archive-name";

type ArchivePlace = {
  readonly name: string;
  /** The path of the archive that contains the directory. Null if the file has no second line. */
  readonly archive: string | null;
};

async function readArchive({ home }: Pick<Cluster, "home">): Promise<ArchivePlace | null> {
  const text = await readFile(join(home, nameFile), "utf8").catch(() => "");
  const [name = "", archive = null] = text.trim().split("\n");
  return name === "" ? null : { name, archive };
}

/** Returns the name of the cluster's directory in the archive, or null if the cluster has none yet. */
export async function readArchiveName(cluster: Pick<Cluster, "home">): Promise<string | null> {
  return (await readArchive(cluster))?.name ?? null;
}

/**
 * Stores the name of the cluster's directory in the archive. A backup does not contain this file, so a restored cluster
 * gets a directory of its own. In a shared directory, two clusters would write segments with the same names.
 */
async function writeArchive({ home }: Cluster, { name, archive }: ArchivePlace): Promise<void> {
  const file = join(home, nameFile);
  await writeFile(`${file}.new`, `${name}\n${archive}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  await syncDirectory(home);
}

/** The archived log of one cluster. */
export type ArchivedLog = {
  readonly directory: string;
  /** The names of the segments, oldest first. */
  readonly segments: readonly string[];
  /** The time at which the newest segment was archived. */
  readonly until: Date;
};

/**
 * Returns the archived segments from `first` on.
 *
 * @throws StartupError if `first` is missing, or if a segment is missing between others.
 */
export async function readArchivedLog(directory: string, first: string): Promise<ArchivedLog> {
  const names = await readdir(directory).catch(() => []);
  const segments = names.filter((name) => isSegment(name) && name >= first).sort();
  const last = segments.at(-1);
  if (last === undefined || segments[0] !== first) {
    throw new StartupError(
      `The archive ${directory} does not contain the log since the backup, which begins with the segment ${first}. Use a newer backup, or restore the archive from its copy.`,
    );
  }
  for (const [index, name] of segments.entries()) {
    const before = segments[index - 1];
    if (before === undefined || segmentNumber(name) === segmentNumber(before) + 1) continue;
    throw new StartupError(
      `The archive ${directory} is missing the segments between ${before} and ${name}. Use a backup from after the gap, or restore the archive from its copy.`,
    );
  }
  return { directory, segments, until: (await stat(join(directory, last))).mtime };
}

/**
 * Matches the name of the file that Postgres archives after each backup. The name begins with that of the first segment
 * that the backup needs.
 */
const backupMark = new RegExp(`^(${segmentName.source})\\.[0-9A-F]{8}\\.backup$`);

/**
 * Deletes archived segments that only backups from before `before` need. Keeps the segments of the newest of these
 * backups, so that every moment since `before` can be restored. Returns the number deleted.
 */
export async function pruneArchive(directory: string, before: Date): Promise<number> {
  const names = (await readdir(directory)).sort();
  let keepFrom = "";
  for (const name of names) {
    const [, first] = backupMark.exec(name) ?? [];
    if (first && (await stat(join(directory, name))).mtime < before) keepFrom = first;
  }
  const old = names.filter(
    (name) => name.slice(0, 24) < keepFrom && (isSegment(name) || backupMark.test(name)),
  );
  for (const name of old) await rm(join(directory, name));
  return old.length;
}
