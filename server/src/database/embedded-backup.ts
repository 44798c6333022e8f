import { chmod, mkdir, readFile, realpath, statfs } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { CannotStart } from "./cannot-start.ts";
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
import { makeStaged } from "./staged-directory.ts";

export type BackupOptions = {
  /** Postgres lives in `<directory>/postgres`. */
  readonly directory: string;
  /** Becomes a directory like it, with a `postgres` of its own: not there yet, or empty. */
  readonly target: string;
  /** Gives the backup up, and its reason is thrown. */
  readonly signal: AbortSignal;
  /** Told in sentences what takes time. */
  readonly log: (line: string) => void;
};

export type Backup = {
  /** What was acknowledged before this moment is in it. */
  readonly committedBefore: Date;
  /** The size of its data files. */
  readonly bytes: number;
};

/**
 * Backs the default Postgres up while it is used. It is joined when a server runs on it and started when none does, and
 * left as it was.
 *
 * @throws CannotStart when there is no database, or the backup cannot lie where it should. Nothing is left at `target`
 *   then, nor beside it.
 */
export async function backUpEmbeddedPostgres(options: BackupOptions): Promise<Backup> {
  const { directory, target, signal, log } = options;
  // Starting Postgres on a wrong directory would make a new database, whose backup nobody wants.
  const cluster = await findCluster(resolve(directory));
  if (!cluster) throw noDatabase(directory);
  await refuseInside(cluster, resolve(target));
  try {
    return await makeStaged(target, async (staging) => {
      const postgres = await startEmbeddedPostgres({ directory, log });
      return await fill(staging, cluster, postgres.url, options).finally(postgres.stop);
    });
  } catch (error) {
    // What broke because of it would only tell where.
    signal.throwIfAborted();
    throw error;
  }
}

async function fill(
  staging: string,
  cluster: Cluster,
  url: string,
  { signal, log }: BackupOptions,
): Promise<Backup> {
  const home = join(staging, "postgres");
  const { data: from, user } = cluster;
  const copying: Copying = { from, to: join(home, "data"), user, signal };
  await mkdir(home);
  // As where it comes from: Postgres's user walks through to the data.
  await chmod(home, 0o711);

  return await withBackupSession(url, signal, async (postgres) => {
    const start = await postgres.begin();
    const listed = await listDataFiles(from);
    await refuseFullDisk(staging, listed.bytes);
    log(`Copying ${inMegabytes(listed.bytes)} of database.`);
    await copyDataFiles(copying, listed);

    // Everything that takes long is on the disk by now: what is acknowledged from here on may not be in the backup.
    const { committedBefore, label, segments } = await postgres.end(start);
    await copyLog(copying, segments);
    await writeDataFile(copying, "backup_label", label);
    await writeDataFile(
      { ...copying, to: home },
      "password",
      await readFile(join(cluster.home, "password")),
    );
    await syncDataDirectories(copying, listed);
    await syncDirectory(home);
    return { committedBefore, bytes: listed.bytes };
  });
}

async function refuseInside({ data }: Cluster, target: string): Promise<void> {
  const within = await realpath(data);
  for (let above = target; above !== dirname(above); above = dirname(above)) {
    const place = await realpath(above).catch(() => null);
    if (place === null) continue;
    if (place !== within && !place.startsWith(within + sep)) return;
    throw new CannotStart(`A backup cannot lie within the database itself, in ${data}.`);
  }
}

/** A disk that we fill may be the one that Postgres writes to, and then the service stops. */
async function refuseFullDisk(staging: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(staging);
  const free = bavail * bsize;
  if (free >= bytes + logBytes) return;
  throw new CannotStart(
    `The backup takes ${inMegabytes(bytes + logBytes)}, and the disk of ${dirname(staging)} has ${inMegabytes(free)} left.`,
  );
}

/** A few segments of the log, 16 MB each, for what happens while the data are copied. */
const logBytes = 64 * 1024 * 1024;

/** As people read it: `46 MB`. */
export function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}
