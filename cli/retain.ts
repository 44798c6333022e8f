import { basename } from "node:path";
import { parseArgs } from "node:util";
import { listRecordedArchives } from "@florin/server/admin/retention/archive.sql.ts";
import {
  ArchiveDamaged,
  assertArchiveWritable,
  directoryOf,
  readArchive,
} from "@florin/server/admin/retention/archive-files.ts";
import {
  archivePayments,
  countArchivable,
  skippedText,
} from "@florin/server/admin/retention/archive-payments.ts";
import { partitionGroups } from "@florin/server/admin/retention/partition.jobs.ts";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import type { Database } from "@florin/server/platform/database/database.ts";
import { maintainPartitions } from "@florin/server/platform/partitions/partitions.ts";
import { withDatabase } from "./with-database.ts";

/**
 * `florin retain [--run | --check] [--json]`: prints the data that the retention policy would drop and archive. With
 * `--run`, drops and archives these data. With `--check`, reads all archives and exits with 1 if one is missing or
 * damaged.
 */
export async function retain(config: Config, arguments_: string[]): Promise<number> {
  const { values } = parseArgs({
    args: arguments_,
    options: {
      run: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  if (values.run && values.check) {
    throw new WrongSetting("Use either --run or --check, not both.");
  }
  if (values.check) {
    const checks = await withDatabase(config, (database) => checkArchives(database, config));
    const damaged = checks.filter(({ problem }) => problem !== null);
    console.log(
      values.json
        ? JSON.stringify(checks, null, 2)
        : [
            ...damaged.map(({ id, problem }) => `FAIL  ${id}: ${problem}`),
            `${checks.length} archives, ${damaged.length} missing or damaged.`,
          ].join("\n"),
    );
    return damaged.length === 0 ? 0 : 1;
  }
  const report = await withDatabase(config, (database) =>
    values.run ? run(database, config) : plan(database, config),
  );
  console.log(values.json ? JSON.stringify(report, null, 2) : print(report, values.run));
  return 0;
}

type RetainReport = {
  readonly partitions: { readonly created: readonly string[]; readonly dropped: readonly string[] };
  /** Null if no payments are archived. */
  readonly archive: Archived | null;
};

type Archived = {
  readonly before: string;
  readonly charges: number;
  readonly directory: string;
  readonly archives?: number;
  readonly rows?: number;
  readonly bytes?: number;
  readonly skipped?: number;
  readonly unrecorded?: readonly string[];
  readonly isBusy?: boolean;
};

async function plan(database: Database, config: Config): Promise<RetainReport> {
  const deps = { database, clock: systemClock };
  const partitions = await maintainPartitions(deps, partitionGroups, { dryRun: true });
  if (config.archiveAfterDays === null) return { partitions, archive: null };
  const { before, charges } = await countArchivable(deps, config.archiveAfterDays);
  const directory = config.archiveDirectory;
  return { partitions, archive: { before: before.toISOString(), charges, directory } };
}

async function run(database: Database, config: Config): Promise<RetainReport> {
  const deps = { database, clock: systemClock };
  const partitions = await maintainPartitions(deps, partitionGroups);
  if (config.archiveAfterDays === null) return { partitions, archive: null };
  const directory = config.archiveDirectory;
  await assertArchiveWritable(directory);
  const policy = { directory, afterDays: config.archiveAfterDays };
  const { before, ...archive } = await archivePayments(deps, policy);
  return { partitions, archive: { before: before.toISOString(), directory, ...archive } };
}

function print({ partitions, archive }: RetainReport, hasRun: boolean): string {
  const would = hasRun ? "" : "would be ";
  const lines = [
    ...partitions.created.map((name) => `${name}: ${would}created`),
    ...partitions.dropped.map((name) => `${name}: ${would}dropped`),
  ];
  if (lines.length === 0) lines.push("No partition needs to be created or dropped.");
  if (archive === null) {
    lines.push("Payments are not archived, because FLORIN_ARCHIVE_AFTER_DAYS is off.");
  } else if (archive.isBusy) {
    lines.push("Another process is archiving payments. Nothing was archived.");
  } else {
    const sizes = hasRun
      ? ` in ${archive.archives} archives with ${archive.rows} rows and ${archive.bytes} bytes`
      : "";
    lines.push(
      `${archive.charges} charges created before ${archive.before} ${would}archived to ${archive.directory}${sizes}.`,
      ...(archive.skipped ? [skippedText(archive.skipped)] : []),
      ...(archive.unrecorded ?? []).map(
        (path) =>
          `${path}: an unused archive of an interrupted run, which had not deleted the rows. Florin archives these rows again.`,
      ),
    );
  }
  if (!hasRun) lines.push("Nothing was changed. Run the command with --run to make these changes.");
  return lines.join("\n");
}

type CheckedArchive = { readonly id: string; readonly problem: string | null };

/** Compares each archive of the database with its files. */
async function checkArchives(database: Database, config: Config): Promise<CheckedArchive[]> {
  const checks: CheckedArchive[] = [];
  for (const { scope, id, manifestSha256 } of await listRecordedArchives(database.read)) {
    checks.push({
      id,
      problem: await problemOf(directoryOf(config.archiveDirectory, scope, id), manifestSha256),
    });
  }
  return checks;
}

async function problemOf(directory: string, expected: Buffer): Promise<string | null> {
  try {
    const { manifestSha256 } = await readArchive(directory);
    if (manifestSha256.equals(expected)) return null;
    return `The manifest of ${basename(directory)} differs from the database.`;
  } catch (error) {
    if (error instanceof ArchiveDamaged) return error.message;
    throw error;
  }
}
