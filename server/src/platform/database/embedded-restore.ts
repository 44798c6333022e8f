import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../core/clock.ts";
import { quoteForShell } from "../../core/quote-for-shell.ts";
import {
  assertIntact,
  assertSizes,
  damagedBackup,
  dataDirectory,
  passwordPath,
  readManifest,
} from "./backup-manifest.ts";
import { assertDiskSpace, inMegabytes } from "./disk-space.ts";
import { endOf, freePort, launch, outputSince, urlOf } from "./embedded.ts";
import { type BackupDescription, backupFile } from "./embedded-backup.ts";
import {
  type Copying,
  copyDataFiles,
  copyLog,
  listDataFiles,
  syncDataDirectories,
  writeDataFile,
} from "./embedded-backup-files.ts";
import { type Cluster, clusterIn } from "./embedded-cluster.ts";
import { findPostmaster, type Postmaster, stopPostmaster } from "./embedded-postmaster.ts";
import { giveTo, postgresUser } from "./embedded-system-user.ts";
import { recordRestore } from "./record-restore.ts";
import { makeStaged } from "./staged-directory.ts";
import { nullUnlessFixable, StartupError } from "./startup-error.ts";
import { type ArchivedLog, readArchivedLog } from "./wal-archive.ts";
import { isSegment, segmentBytes, segmentName } from "./wal-segment.ts";

/** The point in time to restore: that of the backup, a later time, or the end of the archived log. */
export type RestoreTarget =
  | { readonly kind: "backup" }
  | { readonly kind: "time"; readonly time: Date }
  | { readonly kind: "latest" };

export type RestoreOptions = {
  readonly backup: string;
  /** The data directory of Florin, in which the restore creates `postgres/`. */
  readonly directory: string;
  readonly target: RestoreTarget;
  readonly walArchive: string | null;
  /** Aborts the restore with the signal's reason. */
  readonly signal: AbortSignal;
  /** Called with messages about slow steps. */
  readonly log: (line: string) => void;
};

export type Restored = {
  /**
   * Everything that was acknowledged before this time is in the database. Null if the database contains everything up
   * to the end of the archived log.
   */
  readonly until: Date | null;
};

/**
 * Restores a backup of the built-in Postgres. The database gets its final name only after it is complete and Postgres
 * has stopped.
 *
 * @throws StartupError when the moment cannot be restored, the backup is damaged, or there is a database already. No
 *   files are left.
 */
export async function restoreEmbeddedPostgres(options: RestoreOptions): Promise<Restored> {
  const { target, signal } = options;
  const directory = resolve(options.directory);
  const backup = resolve(options.backup);
  const description = await readDescription(backup);
  const home = join(directory, "postgres");
  if (await stat(home).catch(() => null)) {
    throw new StartupError(
      `${home} exists. A restore never changes an existing database. Stop Florin, and move the directory away or set FLORIN_DATA to another directory.`,
    );
  }
  const archived = target.kind === "backup" ? null : await findLog(options, description);
  try {
    await makeStaged(
      home,
      async (staging) => {
        await copyBackup(backup, staging, archived, description, options);
        await recover(await clusterIn(staging), archived, options, description);
      },
      stopAbandoned,
    );
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  if (target.kind === "latest") return { until: null };
  return { until: target.kind === "time" ? target.time : new Date(description.committed_before) };
}

/** Stops a Postgres that still runs on a staging directory because its restore was killed during the recovery. */
async function stopAbandoned(staging: string): Promise<void> {
  const cluster = await clusterIn(staging).catch(() => null);
  if (cluster) await stopPostmaster(cluster, "immediate");
}

async function readDescription(backup: string): Promise<BackupDescription> {
  const text = await readFile(join(backup, backupFile), "utf8").catch(nullUnlessFixable);
  if (text === null) {
    throw new StartupError(
      `${backup} is not a backup: it has no file ${backupFile}. Specify a directory that 'florin backup' created.`,
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw damagedBackup(backup, `the file ${backupFile} is not valid JSON`);
  }
}

/** Returns the archived log. Throws unless it can contain the target. */
async function findLog(
  { target, walArchive }: RestoreOptions,
  description: BackupDescription,
): Promise<ArchivedLog> {
  if (walArchive === null) {
    throw new StartupError(
      "FLORIN_WAL_ARCHIVE is not set. Set it to the directory in which the log of the backed-up database was archived.",
    );
  }
  if (description.archive_name === null) {
    throw new StartupError(
      "The log was not archived when this backup was made, so only the backup itself can be restored. Run the command without --to and --latest.",
    );
  }
  const directory = join(walArchive, description.archive_name);
  const archived = await readArchivedLog(directory, description.first_segment);
  const from = new Date(description.committed_before);
  if (target.kind === "time" && (target.time < from || target.time > archived.until)) {
    throw outside(target.time, from, archived.until);
  }
  return archived;
}

function outside(time: Date, from: Date, until: Date): StartupError {
  return new StartupError(
    `${time.toISOString()} cannot be restored. With this backup, the archive covers ${from.toISOString()} to ${until.toISOString()}. Choose a time in this range, an earlier backup, or --latest.`,
  );
}

/**
 * The maximum number of segments that Postgres keeps during the recovery: `max_wal_size` of `embedded-settings.ts`,
 * 4 GB.
 */
const maxRecoveredSegments = 256;

async function copyBackup(
  backup: string,
  staging: string,
  archived: ArchivedLog | null,
  { manifest_sha256 }: BackupDescription,
  { signal, log }: RestoreOptions,
): Promise<void> {
  const manifest = manifest_sha256 ? await readManifest(backup, manifest_sha256) : null;
  const from = join(backup, dataDirectory);
  // Postgres renames the label when it starts. If neither the label nor its renamed form exists, the label was not
  // copied, and `assertSizes` reports this.
  const isStarted = (await stat(join(from, "backup_label.old")).catch(() => null)) !== null;
  if (manifest && !isStarted) await assertSizes(backup, manifest);
  const label = await readFile(join(from, "backup_label")).catch(() => null);
  if (label === null) {
    throw new StartupError(
      `Postgres was started on ${backup}, so it is no longer a backup. Use another backup, or a copy on which Postgres was never started.`,
    );
  }
  const user = await postgresUser(from);
  const copying: Copying = { from, to: join(staging, "data"), user, signal };
  // Sets the same mode as that of the original directory (embedded-backup.ts).
  await chmod(staging, 0o711);
  const listed = await listDataFiles(from);
  const segments = (await readdir(join(from, "pg_wal"))).filter(isSegment);
  const inLog = segments.length + Math.min(archived?.segments.length ?? 0, maxRecoveredSegments);
  await assertDiskSpace(dirname(staging), listed.bytes + inLog * segmentBytes, {
    work: "restore",
    remedy: "set FLORIN_DATA to a directory on another disk",
  });
  log(`Copying ${inMegabytes(listed.bytes)} of the backup.`);
  const dataFiles = await copyDataFiles(copying, listed);
  const logFiles = await copyLog(copying, segments);
  const labelFile = await writeDataFile(copying, "backup_label", label);
  const password = await readFile(join(from, passwordPath));
  const passwordFile = await writeDataFile(copying, passwordPath, password);
  const found = new Map([
    ...dataFiles,
    ...logFiles,
    ["backup_label", labelFile],
    [passwordPath, passwordFile],
  ]);
  if (manifest) assertIntact(backup, manifest, found);
  await syncDataDirectories(copying, listed);
}

/** Starts Postgres on the copy until it has recovered, records the restore in the database, and stops Postgres. */
async function recover(
  restoring: Cluster,
  archived: ArchivedLog | null,
  { target, signal, log }: RestoreOptions,
  description: BackupDescription,
): Promise<void> {
  const cluster: Cluster = {
    ...restoring,
    // Without hot standby, Postgres is ready only when the recovery has ended.
    settings: { hot_standby: "off", ...(archived && recoverySettings(archived, target)) },
    reads: archived ? [archived.directory] : [],
  };
  if (archived) {
    const file = join(cluster.data, "recovery.signal");
    await writeFile(file, "", { mode: 0o600, flush: true });
    await giveTo(cluster.user, file);
    log(`Applying the archived log, ${archived.segments.length} segments of 16 MB.`);
  }
  const launched = await launch(cluster, await freePort());
  if (launched.kind === "fatal") throw new StartupError(launched.message);
  if (launched.kind !== "launched") {
    throw new StartupError(
      "Postgres could not start on the restored database, because another process uses its port or its files. Wait a few seconds, and run the command again.",
    );
  }
  try {
    const postmaster = await awaitRecovery(cluster, launched.at, signal, log);
    const output = await outputSince(cluster, launched.at);
    if (archived && target.kind === "latest") assertComplete(archived, output);
    await recordRestore(urlOf(cluster, postmaster, "florin"), {
      restoredAt: systemClock.now(),
      restoredTo: momentOf(target, description, output),
    });
  } catch (error) {
    if (!(error instanceof RecoveryFailed) || !archived || target.kind !== "time") throw error;
    const end = lastTransactionIn(error.output);
    if (end === null || !/before configured recovery target/.test(error.output)) throw error;
    throw outside(target.time, new Date(description.committed_before), end);
  } finally {
    await stopPostmaster(cluster, signal.aborted ? "immediate" : "fast");
  }
}

/** Returns the moment before which everything that was acknowledged is in the restored database. */
function momentOf(target: RestoreTarget, description: BackupDescription, output: string): Date {
  if (target.kind === "time") return target.time;
  const end = target.kind === "latest" ? lastTransactionIn(output) : null;
  return end ?? new Date(description.committed_before);
}

/** Matches the line in which Postgres reports the time of the last transaction that it has recovered. */
const lastTransaction =
  /last completed transaction was at log time (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)\+00/;

function lastTransactionIn(output: string): Date | null {
  const [, time] = lastTransaction.exec(output) ?? [];
  return time === undefined ? null : new Date(`${time}Z`);
}

function recoverySettings(
  { directory }: ArchivedLog,
  target: RestoreTarget,
): Record<string, string> {
  return {
    restore_command: `cp ${quoteForShell(directory).replaceAll("%", "%%")}/%f %p`,
    recovery_target_timeline: "current",
    recovery_target_action: "promote",
    ...(target.kind === "time" && { recovery_target_time: inPostgres(target.time) }),
  };
}

/**
 * Formats a time for a setting of Postgres. The zone is an offset, because Postgres reads its settings before it loads
 * the abbreviations of time zones.
 */
function inPostgres(time: Date): string {
  return time.toISOString().replace("T", " ").replace("Z", "+00");
}

class RecoveryFailed extends StartupError {
  readonly output: string;
  constructor(output: string) {
    super(`Postgres stopped during the recovery. The end of its log:\n${endOf(output)}`);
    this.output = output;
  }
}

/** The time between two messages about the progress. */
const progressMs = 10_000;

async function awaitRecovery(
  cluster: Cluster,
  launchedAt: number,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Postmaster> {
  for (let nextLogAt = performance.now() + progressMs; ; await sleep(20)) {
    signal.throwIfAborted();
    const running = await findPostmaster(cluster);
    if (running?.status === "ready") return running;
    if (!running) throw new RecoveryFailed(await outputSince(cluster, launchedAt));
    if (performance.now() < nextLogAt) continue;
    nextLogAt = performance.now() + progressMs;
    const restored = [...(await outputSince(cluster, launchedAt)).matchAll(restoredSegment)];
    log(`Recovering. ${restored.length} segments are applied.`);
  }
}

const restoredSegment = new RegExp(`restored log file "(${segmentName.source})" from archive`, "g");

/**
 * Rejects a recovery that ended before the newest segment. `cp` fails in the same way for a missing file, which is the
 * end of the log, and for a file that cannot be read.
 */
function assertComplete({ segments }: ArchivedLog, output: string): void {
  const restored = new Set([...output.matchAll(restoredSegment)].map(([, name]) => name));
  const last = segments.at(-1) as string;
  if (restored.has(last)) return;
  throw new StartupError(
    `The recovery ended before ${last}, the newest segment of the archive, because Postgres could not read or apply an earlier segment. Check the files of the archive and their permissions, and run the command again. The end of the log of Postgres:\n${endOf(output)}`,
  );
}
