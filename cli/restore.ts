import { parseArgs } from "node:util";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import { dayMs } from "@florin/server/core/utc-day.ts";
import {
  type Restored,
  type RestoreTarget,
  restoreEmbeddedPostgres,
} from "@florin/server/platform/database/embedded-restore.ts";
import { recordRestore } from "@florin/server/platform/database/record-restore.ts";
import { unreachable } from "@florin/server/platform/database/startup-error.ts";
import { abortOnSignal } from "./backup.ts";
import { commandLine } from "./command-line.ts";

/**
 * `florin restore <backup> [--to <time> | --latest]`: restores the built-in database to an empty data directory. With
 * DATABASE_URL, `florin restore --to <time>` records a restore that was done with the tools of Postgres.
 */
export async function restore(config: Config, arguments_: string[]): Promise<number> {
  const { backup, target } = readArguments(arguments_);
  if (config.databaseUrl !== null) return recordExternalRestore(config.databaseUrl, backup, target);
  if (backup === undefined) {
    throw new WrongSetting(
      "Specify the backup to restore. Run: florin restore BACKUP [--to TIME | --latest].",
    );
  }
  const restored = await restoreEmbeddedPostgres({
    backup,
    target,
    directory: config.dataDirectory,
    walArchive: config.walArchive,
    signal: abortOnSignal("restore"),
    log: (line) => console.error(line),
  });
  console.log(report(config, restored));
  return 0;
}

/**
 * Limits the restored time, because the service reconciles every day since then. A mistyped year would make it
 * reconcile thousands of days.
 */
const maxRestoredDays = 366;

/** Records the restore of the Postgres server in DATABASE_URL. */
async function recordExternalRestore(
  url: string,
  backup: string | undefined,
  target: RestoreTarget,
): Promise<number> {
  if (backup !== undefined || target.kind !== "time") {
    throw new WrongSetting(
      "'florin restore' restores only the built-in database, but DATABASE_URL is set. " +
        "Restore the Postgres server in DATABASE_URL with its own tools. Then run 'florin restore --to TIME' with the time to which you restored, so that Florin reconciles every day since then.",
    );
  }
  const now = systemClock.now();
  if (target.time > now || now.getTime() - target.time.getTime() > maxRestoredDays * dayMs) {
    throw new WrongSetting(
      `--to must be a time in the last ${maxRestoredDays} days. Got '${target.time.toISOString()}'.`,
    );
  }
  await recordRestore(url, { restoredAt: now, restoredTo: target.time }).catch((error) => {
    throw unreachable(url, error) ?? error;
  });
  console.log(`The restore to ${target.time.toISOString()} is recorded.

1. Run: ${commandLine("verify")}
${lastSteps}`);
  return 0;
}

const lastSteps = `2. Start Florin. It reconciles every day since the restored time. To print the differences, run:
   ${commandLine("reconcile", "--since-restore")}
   Handle every difference \`missing_here\`: the acquirer executed the operation, and this database lacks it.`;

function report({ dataDirectory, keysDirectory }: Config, { until }: Restored): string {
  const moment = until
    ? `everything that was acknowledged before ${until.toISOString()}`
    : "everything in the archived log";
  return `${dataDirectory} contains the database, with ${moment}.

1. Put the keys of this database into ${keysDirectory}, if they are not there yet. Then run: ${commandLine("verify")}
${lastSteps}
3. Back up the database. A restored database has a new directory in FLORIN_WAL_ARCHIVE, which begins with that backup.

docs/operating/backup-and-restore.md explains each step.`;
}

function readArguments(arguments_: string[]): {
  backup: string | undefined;
  target: RestoreTarget;
} {
  const { positionals, values } = parseArgs({
    args: arguments_,
    allowPositionals: true,
    options: { to: { type: "string" }, latest: { type: "boolean", default: false } },
  });
  const [backup, ...more] = positionals;
  if (more.length > 0) throw new WrongSetting("Specify only one backup.");
  if (values.to === undefined) {
    return { backup, target: { kind: values.latest ? "latest" : "backup" } };
  }
  if (values.latest) throw new WrongSetting("Use either --to or --latest, not both.");
  return { backup, target: { kind: "time", time: readTime(values.to) } };
}

/** Requires a time zone, because a time without one would depend on the settings of the machine. */
function readTime(text: string): Date {
  const time = new Date(text);
  if (/T.+(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new WrongSetting(
    `--to must be a time with a time zone, such as 2026-01-31T09:30:00Z. Got '${text}'.`,
  );
}
