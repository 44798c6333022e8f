import { chmod, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { dataDirectory, manifestFile, passwordPath, writeManifest } from "./backup-manifest.ts";
import { assertDiskSpace, inMegabytes } from "./disk-space.ts";
import { startEmbeddedPostgres } from "./embedded.ts";
import {
  type Copying,
  copyDataFiles,
  copyLog,
  listDataFiles,
  syncDataDirectories,
  writeDataFile,
} from "./embedded-backup-files.ts";
import { withBackupSession } from "./embedded-backup-session.ts";
import { type Cluster, findCluster, noDatabase, syncDirectory } from "./embedded-cluster.ts";
import { makeStaged, removeAbandonedBeside } from "./staged-directory.ts";
import { StartupError } from "./startup-error.ts";
import { readArchiveName } from "./wal-archive.ts";
import { segmentBytes } from "./wal-segment.ts";

/** The file in a backup that contains its `BackupDescription`. */
export const backupFile = "backup.json";

export type BackupDescription = {
  /** The backup contains everything that was acknowledged before this time. */
  readonly committed_before: string;
  /** The first segment of the log that the backup needs. */
  readonly first_segment: string;
  /** The cluster's directory in the archive. Null if the log was not archived. */
  readonly archive_name: string | null;
  /** The SHA-256 of the list of files. Missing in a backup of version 0.1.0. */
  readonly manifest_sha256?: string;
};

export type BackupOptions = {
  /** The data directory of Florin. The database is in `<directory>/postgres`. */
  readonly directory: string;
  /** The target directory, in which the backup creates `postgres/`. It must be empty or absent. */
  readonly target: string;
  /** The directory of the archived log, if the log is archived. */
  readonly walArchive?: string | null;
  /** Aborts the backup with the signal's reason. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Called with messages about slow steps. */
  readonly log: (line: string) => void;
};

export type Backup = {
  /** The backup contains every commit that was acknowledged before this time. */
  readonly committedBefore: Date;
  /** The size of the data files. */
  readonly bytes: number;
};

/**
 * Backs up the built-in Postgres while it is in use. Uses the Postgres of a running server, or starts one and stops it
 * afterwards.
 *
 * @throws StartupError when there is no database or the backup cannot be written to `target`. No files are left in
 *   `target` or beside it.
 */
export async function backUpEmbeddedPostgres(options: BackupOptions): Promise<Backup> {
  const { directory, target, signal, clock, log, walArchive = null } = options;
  // Without this check, a new, empty database would be created in a wrong directory and then backed up.
  const cluster = await findCluster(resolve(directory));
  if (!cluster) throw noDatabase(directory);
  await assertOutsideDataDirectory(cluster, resolve(target));
  try {
    return await makeStaged(target, async (staging) => {
      for (const path of await removeAbandonedBeside(staging, isPartOfBackup, clock.now())) {
        log(`Deleted ${path}, which an interrupted backup had left.`);
      }
      const postgres = await startEmbeddedPostgres({ directory, log, walArchive });
      return await writeBackup(staging, cluster, postgres.url, options).finally(postgres.stop);
    });
  } catch (error) {
    // Throws the signal's reason instead of the error that the abort caused.
    signal.throwIfAborted();
    throw error;
  }
}

function isPartOfBackup(names: readonly string[]): boolean {
  const written = ["postgres", manifestFile, backupFile];
  return names.includes("postgres") && names.every((name) => written.includes(name));
}

async function writeBackup(
  staging: string,
  cluster: Cluster,
  url: string,
  { signal, log, walArchive = null }: BackupOptions,
): Promise<Backup> {
  const home = join(staging, "postgres");
  const { data: from, user } = cluster;
  const copying: Copying = { from, to: join(staging, dataDirectory), user, signal };
  await mkdir(home);
  // Sets the same mode as that of the original directory, because Postgres's user must be able to traverse the
  // directory to reach the data.
  await chmod(home, 0o711);

  return await withBackupSession(url, signal, async (postgres) => {
    const start = await postgres.begin();
    const listed = await listDataFiles(from);
    await assertDiskSpace(dirname(staging), listed.bytes + logBytes, {
      work: "backup",
      remedy: "choose a directory on another disk",
    });
    log(`Copying ${inMegabytes(listed.bytes)} of the database.`);
    const dataFiles = await copyDataFiles(copying, listed);

    // The backup ends after the data files are copied, so that its log contains all writes during the copy. Writes that
    // are acknowledged after this point may not be in the backup.
    const { committedBefore, label, segments } = await postgres.end(start);
    const logFiles = await copyLog(copying, segments);
    const labelFile = await writeDataFile(copying, "backup_label", label);
    const password = await readFile(join(cluster.home, "password"));
    const passwordFile = await writeDataFile(copying, passwordPath, password);
    await syncDataDirectories(copying, listed);
    await syncDirectory(home);
    const manifest = new Map([
      ...dataFiles,
      ...logFiles,
      ["backup_label", labelFile],
      [passwordPath, passwordFile],
    ]);
    const description: BackupDescription = {
      committed_before: committedBefore.toISOString(),
      first_segment: segments[0] as string,
      archive_name: walArchive === null ? null : await readArchiveName(cluster),
      manifest_sha256: await writeManifest(staging, manifest),
    };
    await writeFile(join(staging, backupFile), `${JSON.stringify(description, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    return { committedBefore, bytes: listed.bytes };
  });
}

async function assertOutsideDataDirectory({ data }: Cluster, target: string): Promise<void> {
  const within = await realpath(data);
  for (let above = target; above !== dirname(above); above = dirname(above)) {
    const realAbove = await realpath(above).catch(() => null);
    if (realAbove === null) continue;
    if (realAbove !== within && !realAbove.startsWith(within + sep)) return;
    throw new StartupError(
      `The backup directory must not be inside ${data}, the directory of the database. Choose another directory.`,
    );
  }
}

/** Space for the log segments that Postgres writes during the copy. */
const logBytes = 4 * segmentBytes;
