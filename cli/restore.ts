import { parseArgs } from "node:util";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import {
  type Restored,
  type RestoreTarget,
  restoreEmbeddedPostgres,
} from "@florin/server/platform/database/embedded-restore.ts";
import { abortOnSignal } from "./backup.ts";

/** `florin restore <backup> [--to <time> | --latest]`: restores the embedded database to an empty data directory. */
export async function restore(config: Config, arguments_: string[]): Promise<number> {
  const { backup, target } = readArguments(arguments_);
  if (config.databaseUrl !== null) {
    throw new WrongSetting(
      "'florin restore' restores only the built-in database, but DATABASE_URL is set. " +
        "Restore the Postgres server in DATABASE_URL with its own tools.",
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

function report({ dataDirectory, keysDirectory }: Config, { until }: Restored): string {
  const moment = until
    ? `everything that was acknowledged before ${until.toISOString()}`
    : "everything in the archived log";
  return `${dataDirectory} contains the database, with ${moment}.

1. Put the keys of this database into ${keysDirectory}, if they are not there yet.
2. Run: npm run florin verify
3. Start Florin, and run: npm run florin reconcile -- --day YYYY-MM-DD
   for each day since then. Handle every difference \`missing_here\`: the acquirer executed it, and this database does
   not contain it.
4. Back up the database. A restored database has a new directory in FLORIN_WAL_ARCHIVE, which begins with that backup.

docs/operating/backup-and-restore.md explains each step.`;
}

function readArguments(arguments_: string[]): { backup: string; target: RestoreTarget } {
  const { positionals, values } = parseArgs({
    args: arguments_,
    allowPositionals: true,
    options: { to: { type: "string" }, latest: { type: "boolean", default: false } },
  });
  const [backup, ...more] = positionals;
  if (!backup || more.length > 0) {
    throw new WrongSetting(
      "The backup is missing. Run: florin restore BACKUP [--to TIME | --latest].",
    );
  }
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
