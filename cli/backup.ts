import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import { quoteForShell } from "@florin/server/core/quote-for-shell.ts";
import { dayMs } from "@florin/server/core/utc-day.ts";
import { inMegabytes } from "@florin/server/platform/database/disk-space.ts";
import {
  type Backup,
  backUpEmbeddedPostgres,
} from "@florin/server/platform/database/embedded-backup.ts";
import { findCluster } from "@florin/server/platform/database/embedded-cluster.ts";
import { StartupError } from "@florin/server/platform/database/startup-error.ts";
import { pruneArchive, readArchiveName } from "@florin/server/platform/database/wal-archive.ts";
import { commandLine } from "./command-line.ts";
import { recordCommand } from "./record-command.ts";
import { withDatabase } from "./with-database.ts";

/** `florin backup <directory>`: copies the built-in database to the directory while the service is running. */
export async function backup(config: Config, arguments_: string[]): Promise<number> {
  const target = readArguments(arguments_);
  if (config.databaseUrl !== null) {
    throw new WrongSetting(
      "'florin backup' copies only the built-in database, but DATABASE_URL is set. " +
        "Back up the Postgres server in DATABASE_URL with its own tools, such as pg_dump or pg_basebackup.",
    );
  }
  const result = await backUpEmbeddedPostgres({
    directory: config.dataDirectory,
    target,
    walArchive: config.walArchive,
    signal: abortOnSignal("backup"),
    clock: systemClock,
    log: (line) => console.error(line),
  });
  console.log(report(config, target, result));
  if (config.walArchive !== null) await prune(config, config.walArchive);
  try {
    const after = { bytes: result.bytes, committed_before: result.committedBefore.toISOString() };
    await withDatabase(config, (database) => recordCommand(database, "service.backed_up", after));
  } catch (error) {
    // The backup can run before the database is migrated to this version. The audit tables may then differ from those
    // of this version.
    console.error(
      `The backup is complete, but Florin could not record the backup in the audit log: ${error}`,
    );
  }
  return 0;
}

/** Deletes the archived log that only backups older than `walArchiveDays` need. */
async function prune(config: Config, walArchive: string): Promise<void> {
  const before = new Date(systemClock.now().getTime() - config.walArchiveDays * dayMs);
  const cluster = await findCluster(config.dataDirectory);
  const name = cluster && (await readArchiveName(cluster));
  if (!name) return;
  const deleted = await pruneArchive(join(walArchive, name), before);
  console.error(`Deleted ${deleted} old files of the archived log.`);
}

function report(config: Config, target: string, { bytes, committedBefore }: Backup): string {
  return `${target} contains the database: ${inMegabytes(bytes)}, with everything that was acknowledged before ${committedBefore.toISOString()}.
To restore the backup to another data directory:
  FLORIN_DATA=/path/to/empty ${commandLine(`restore ${quoteForShell(target)}`)}

The backup does not include the keys in ${config.keysDirectory}. Back up the keys too, in another place.
Without the keys, Florin cannot decrypt stored cards or recognize API keys.`;
}

/**
 * Aborts on the first stop signal. Later signals have no effect, because Ctrl-C sends SIGINT twice, from the terminal
 * and from npm.
 */
export function abortOnSignal(work: "backup" | "restore"): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () =>
      stopping.abort(
        new StartupError(`${signal}: the ${work} was canceled and its files were removed.`),
      ),
    );
  }
  return stopping.signal;
}

function readArguments(arguments_: string[]): string {
  const { positionals } = parseArgs({ args: arguments_, allowPositionals: true });
  const [target, ...more] = positionals;
  if (more.length > 0) throw new WrongSetting("Specify only one directory.");
  if (target) return resolve(target);
  throw new WrongSetting("Specify the directory for the backup. Run: florin backup DIRECTORY.");
}
