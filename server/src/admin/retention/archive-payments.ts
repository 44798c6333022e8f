import assert from "node:assert/strict";
import { basename, dirname } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { type AccountId, createdAt, idFromUuid, newId, parseId, uuidOf } from "../../core/ids.ts";
import { mergeCheckpoints } from "../../payments/balance/checkpoint.sql.ts";
import {
  type ArchiveBatch,
  type ArchivedReversals,
  type ArchivedRows,
  type ArchivedSum,
  addArchivedReversals,
  addArchivedSums,
  archiveStart,
  deleteArchivedRows,
  deleteArchivedSearchBlocks,
  isInCheckpoints,
  readArchivedRows,
  selectArchiveBatch,
} from "../../payments/commit/archive.sql.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Database } from "../../platform/database/database.ts";
import { bindTag } from "../../platform/database/sql.ts";
import {
  accountExists,
  advanceHorizon,
  listRecordedArchives,
  listScopesWithObjectsBefore,
  readCountedBefore,
  readSchemaVersion,
  recordArchive,
  tryArchiveLock,
} from "./archive.sql.ts";
import {
  csvOf,
  listArchives,
  moveToUnrecorded,
  removeArchive,
  removeUnfinished,
  sha256,
  type WrittenArchive,
  writeArchive,
} from "./archive-files.ts";

/**
 * The minimum age of an archived payment, in days. Card networks accept disputes for at most 540 days, and acquirers
 * accept refunds for a year.
 */
export const minArchiveAgeDays = 550;

export type ArchivePolicy = {
  /** The directory of the archives. */
  readonly directory: string;
  /** The age in days from which payments are archived. */
  readonly afterDays: number;
};

export type ArchiveDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** Called after each step of a run, so that tests can end the process between two steps. */
  readonly onStep?: (step: "read" | "written" | "deleting" | "deleted") => Promise<void>;
};

/** The result of a run, or of a dry run, which writes and deletes nothing. */
export type ArchiveResult = {
  readonly before: Date;
  readonly archives: number;
  readonly charges: number;
  readonly rows: number;
  readonly bytes: number;
  /**
   * The number of charges that stay in the database because a row of their batch changed while the batch was archived.
   */
  readonly skipped: number;
  /** Archives of interrupted runs that were moved to the directory `unrecorded`. */
  readonly unrecorded: readonly string[];
  /** True if another process is writing archives. */
  readonly isBusy: boolean;
};

/** Returns the sentence about the charges that were skipped, for the log and for `florin retain`. */
export function skippedText(skipped: number): string {
  return `${skipped} charges were not archived, because rows of their batches changed in the meantime. The next run tries again.`;
}

/**
 * The maximum number of attempts to archive a batch. An attempt fails if a row of the batch changes in the meantime.
 */
const maxAttempts = 3;

/** The number of charges in an archive. All rows of an archive are held in memory and deleted in one transaction. */
const batchSize = 5_000;

/**
 * Moves payments older than the policy from the database to archives. Each archive is written, flushed and read back
 * before its rows are deleted. The transaction that deletes the rows compares each of them with the archive.
 */
export async function archivePayments(
  deps: ArchiveDeps,
  { directory, afterDays }: ArchivePolicy,
  signal?: AbortSignal,
): Promise<ArchiveResult> {
  assert(afterDays >= minArchiveAgeDays);
  const { database, clock } = deps;
  const before = new Date(clock.now().getTime() - afterDays * 24 * 60 * 60 * 1000);
  const result = {
    before,
    archives: 0,
    charges: 0,
    rows: 0,
    bytes: 0,
    skipped: 0,
    unrecorded: [] as string[],
  };
  const connection = await database.connect();
  try {
    if (!(await tryArchiveLock(bindTag(connection)))) return { ...result, isBusy: true };
    await removeUnfinished(directory);
    result.unrecorded.push(...(await moveUnrecorded(database, directory)));
    // Merges the hourly checkpoints of the archived period, because an hourly checkpoint must equal the sum of the
    // hour's transfers in the database.
    await database.autocommit((tx) => mergeCheckpoints(tx, before));
    const schema = await readSchemaVersion(database.read);
    for (const scope of await listScopesWithObjectsBefore(database.read, before)) {
      const counted = await readCountedBefore(database.read, scope);
      const limit = { before: counted < before ? counted : before, limit: batchSize };
      let after: typeof archiveStart | null = archiveStart;
      for (let attempt = 1; after && !signal?.aborted; ) {
        const { batch, next } = await selectArchiveBatch(database.read, scope, { ...limit, after });
        if (isEmpty(batch)) {
          after = next;
          continue;
        }
        try {
          const options = { directory, before: limit.before, schema, batch };
          const { archive, rows } = await archiveBatch(deps, options);
          result.archives += 1;
          result.charges += batch.charges.length;
          result.rows += rows;
          result.bytes += archive.bytes;
        } catch (error) {
          if (!(error instanceof RowsChanged)) throw error;
          await removeArchive(error.directory);
          attempt += 1;
          if (attempt <= maxAttempts) continue;
          result.skipped += batch.charges.length;
        }
        after = next;
        attempt = 1;
      }
    }
    return { ...result, isBusy: false };
  } finally {
    await connection.end();
  }
}

function isEmpty({ charges, sessions, decisions }: ArchiveBatch): boolean {
  return charges.length + sessions.length + decisions.length === 0;
}

/** Counts the payments that a run would archive. */
export async function countArchivable(
  { database, clock }: ArchiveDeps,
  afterDays: number,
): Promise<{
  readonly before: Date;
  readonly charges: number;
  readonly sessions: number;
  readonly decisions: number;
}> {
  const before = new Date(clock.now().getTime() - afterDays * 24 * 60 * 60 * 1000);
  const found = { charges: 0, sessions: 0, decisions: 0 };
  for (const scope of await listScopesWithObjectsBefore(database.read, before)) {
    const counted = await readCountedBefore(database.read, scope);
    const limit = { before: counted < before ? counted : before, limit: batchSize };
    const charges = new Set<string>();
    const sessions = new Set<string>();
    for (let after: typeof archiveStart | null = archiveStart; after; ) {
      const options = { ...limit, after };
      const { batch, next } = await selectArchiveBatch(database.read, scope, options);
      for (const id of batch.charges) charges.add(id);
      for (const id of batch.sessions) sessions.add(id);
      found.decisions += batch.decisions.length;
      after = next;
    }
    found.charges += charges.size;
    found.sessions += sessions.size;
  }
  return { before, ...found };
}

async function moveUnrecorded(database: Database, root: string): Promise<string[]> {
  const recorded = new Set((await listRecordedArchives(database.read)).map(({ id }) => id));
  const moved: string[] = [];
  for (const directory of await listArchives(root)) {
    if (recorded.has(basename(directory))) continue;
    // Skips the archives of unknown accounts, because another database may use the same directory.
    const account = parseId("acct", basename(dirname(dirname(directory)))) as AccountId | null;
    if (account && (await accountExists(database.read, account))) {
      moved.push(await moveToUnrecorded(root, directory));
    }
  }
  return moved;
}

async function archiveBatch(
  { database, clock, onStep }: ArchiveDeps,
  {
    directory,
    before,
    schema,
    batch,
  }: {
    readonly directory: string;
    readonly before: Date;
    readonly schema: string;
    readonly batch: ArchiveBatch;
  },
): Promise<{ readonly archive: WrittenArchive; readonly rows: number }> {
  // 1. Read the rows in one snapshot.
  const tables = await database.transaction((tx) => readArchivedRows(tx, batch));
  await onStep?.("read");

  // 2. Write the rows to files, flush the files, and read them back.
  const id = uuidOf(newId("arc", clock.now()));
  const archive = await writeArchive(directory, id, batch, tables, {
    written_at: clock.now().toISOString(),
    before: before.toISOString(),
    schema,
  });
  await onStep?.("written");

  // 3. Delete the rows, and compare each deleted row with the archive before the commit.
  const { scope, charges } = batch;
  const rows = await database.transaction(async (tx) => {
    const deleted = await deleteArchivedRows(tx, batch);
    assertArchived(deleted, archive);
    await onStep?.("deleting");
    const ledger = deleted.find(({ table }) => table === "ledger_transfers") as ArchivedRows;
    assert(await isInCheckpoints(tx, lastPositionOf(ledger)), "the balance checkpoints are behind");
    await addArchivedSums(tx, scope, sumsOf(ledger));
    await addArchivedReversals(tx, scope, reversalsOf(deleted));
    const [first, last] = [charges[0], charges.at(-1)];
    if (first && last) await deleteArchivedSearchBlocks(tx, scope, { first, last });
    await advanceHorizon(tx, scope, before);
    const count = deleted.reduce((sum, table) => sum + table.rows.length, 0);
    const { bytes, manifestSha256 } = archive;
    await recordArchive(tx, {
      scope,
      id,
      charges: charges.length,
      rows: count,
      bytes,
      manifestSha256,
    });
    const after = {
      archive: id,
      charges_of: scope.account,
      livemode: scope.livemode,
      charges: charges.length,
      rows: count,
      manifest_sha256: manifestSha256.toString("hex"),
    };
    const entry = { account: null, livemode: null, object: null, after } as const;
    await recordAuditEntry(
      tx,
      { ...entry, actor: { kind: "service" }, action: "service.payments_archived" },
      clock,
    );
    return count;
  });
  await onStep?.("deleted");
  return { archive, rows };
}

/** A row changed between the read of a batch and its deletion. Nothing was deleted. */
class RowsChanged extends Error {
  override name = "RowsChanged";
  /** The directory of the archive that contains the rows as they were before the change. */
  readonly directory: string;

  constructor(table: string, directory: string) {
    super(`The rows of ${table} have changed since ${directory} was written.`);
    this.directory = directory;
  }
}

/** Throws unless the deleted rows are exactly the rows of the archive. The transaction is then rolled back. */
function assertArchived(
  deleted: readonly ArchivedRows[],
  { manifest, directory }: WrittenArchive,
): void {
  for (const table of deleted) {
    const file = manifest.files.find((one) => one.table === table.table);
    const isEqual = file
      ? sha256(csvOf(table)).toString("hex") === file.content_sha256
      : table.rows.length === 0;
    if (!isEqual) throw new RowsChanged(table.table, directory);
  }
}

type Cell = (row: readonly (string | null)[]) => string;

function columnOf({ columns }: ArchivedRows, name: string): Cell {
  const place = columns.indexOf(name);
  assert(place >= 0);
  return (row) => row[place] ?? "";
}

function lastPositionOf(ledger: ArchivedRows): number {
  const position = columnOf(ledger, "position");
  return ledger.rows.reduce((last, row) => Math.max(last, Number(position(row))), 0);
}

/** Returns the numbers of refunded and disputed charges by the hour of their creation and by currency. */
function reversalsOf(deleted: readonly ArchivedRows[]): ArchivedReversals[] {
  const charges = deleted.find(({ table }) => table === "charges") as ArchivedRows;
  const [id, currency, refunded, disputed] = (
    ["id", "currency", "amount_refunded", "amount_disputed"] as const
  ).map((name) => columnOf(charges, name)) as [Cell, Cell, Cell, Cell];
  const reversed = charges.rows.filter((row) => refunded(row) !== "0" || disputed(row) !== "0");
  const groups = Map.groupBy(reversed, (row) => `${hourOf(id(row))} ${currency(row)}`);
  return [...groups.values()].map((rows) => {
    const [row = []] = rows;
    const disputes = rows.filter((one) => disputed(one) !== "0").length;
    return {
      hour: hourOf(id(row)),
      currency: currency(row),
      refunded: rows.length - disputes,
      disputed: disputes,
    };
  });
}

function hourOf(uuid: string): number {
  return Math.floor(createdAt(idFromUuid("ch", uuid)).getTime() / (60 * 60 * 1000));
}

/** Returns the sums of the transfers by currency, kind and accounts. */
function sumsOf(ledger: ArchivedRows): ArchivedSum[] {
  const of = Object.fromEntries(
    ["currency", "kind", "debit", "credit", "amount"].map((name) => [name, columnOf(ledger, name)]),
  ) as Record<"currency" | "kind" | "debit" | "credit" | "amount", ReturnType<typeof columnOf>>;
  const groups = Map.groupBy(ledger.rows, (row) =>
    [of.currency(row), of.kind(row), of.debit(row), of.credit(row)].join(" "),
  );
  return [...groups.values()].map((rows) => {
    const [row = []] = rows;
    return {
      currency: of.currency(row),
      kind: of.kind(row),
      debit: of.debit(row),
      credit: of.credit(row),
      transfers: rows.length,
      amountMinor: rows.reduce((sum, one) => sum + Number(of.amount(one)), 0),
    };
  });
}
