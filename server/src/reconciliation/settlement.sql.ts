import assert from "node:assert/strict";
import type { SettlementLine } from "../acquiring/settlement-file.ts";
import { uuidOf } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import {
  bigints,
  integers,
  rowsOf,
  texts,
  timestamps,
  uuids,
} from "../platform/database/array-parameter.ts";
import type { Sql, Tx } from "../platform/database/sql.ts";
import type { Noun } from "./reconciled-object.ts";

/**
 * A settlement file during its download. Each download has a new UUID, so that the lines of a failed download are
 * ignored.
 */
export type Incoming = {
  readonly scope: Scope;
  readonly file: string;
  readonly day: string;
  readonly processor: string;
};

/** A settlement line with its number and the object to which it refers. */
export type PlacedLine = SettlementLine & {
  readonly number: number;
  readonly noun: Noun;
  readonly subject: string;
};

export async function insertFile(tx: Tx, { scope, file, day, processor }: Incoming): Promise<void> {
  await tx`
    insert into settlement_files (account_id, livemode, id, day, processor, state)
    values (${uuidOf(scope.account)}, ${scope.livemode}, ${file}, ${day}, ${processor}, 'receiving')
  `;
}

/** Locks the file, so that a concurrent download does not delete it while its lines are written. */
export async function lockFile(tx: Tx, { scope, file, day }: Incoming): Promise<void> {
  const held = await tx`
    select
      from settlement_files
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${file}
       for key share
  `;
  assert.equal(held.length, 1, `the settlement file of ${day} was deleted during its download`);
}

export async function insertLines(
  tx: Tx,
  { scope, file }: Incoming,
  lines: readonly PlacedLine[],
): Promise<void> {
  const placed = rowsOf({
    line: integers(lines, ({ number }) => number),
    type: texts(lines, ({ type }) => type),
    noun: texts(lines, ({ noun }) => noun),
    subject: uuids(lines, ({ subject }) => subject),
    reference: texts(lines, ({ reference }) => reference),
    posted_at: timestamps(lines, ({ postedAt }) => postedAt),
    currency: texts(lines, ({ currency }) => currency),
    amount: bigints(lines, ({ amountMinor }) => amountMinor),
    fee: bigints(lines, ({ feeMinor }) => feeMinor),
  });
  await tx`
    insert into settlement_lines (
      account_id, livemode, file_id, line, type, noun, subject, reference, posted_at, currency, amount, fee
    )
    select ${uuidOf(scope.account)}, ${scope.livemode}, ${file}, l.*
      from ${placed} as l
  `;
}

/** Marks the file as complete, so that reconciliations use it. Call `removeOthers` first, in the same transaction. */
export async function completeFile(
  tx: Tx,
  incoming: Incoming,
  found: { readonly until: Date; readonly mismatch: string | null },
): Promise<void> {
  const { scope, file, day } = incoming;
  const completed = await tx`
    update settlement_files
       set state = 'received', until = ${found.until}, mismatch = ${found.mismatch}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${file}
    returning id
  `;
  assert.equal(
    completed.length,
    1,
    `the settlement file of ${day} was deleted during its download`,
  );
}

/** Deletes the other files of the same day, complete or not. Returns their IDs. */
export async function removeOthers(tx: Tx, { scope, file, day }: Incoming): Promise<string[]> {
  const removed = await tx<{ id: string }>`
    delete from settlement_files
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and day = ${day} and id <> ${file}
    returning id
  `;
  return removed.map(({ id }) => id);
}

/**
 * Deletes the lines of deleted files. This is a separate statement, so that its snapshot includes lines that were
 * committed while the deletion of their file waited for a lock.
 */
export async function removeLines(tx: Tx, scope: Scope, files: readonly string[]): Promise<void> {
  await tx`
    delete from settlement_lines
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and file_id = any(${files}::uuid[])
  `;
}

/** Returns the end of the newest complete file, or null if there is none. */
export async function readSettledUntil(read: Sql, scope: Scope): Promise<Date | null> {
  const [row] = await read<{ until: Date | null }>`
    select max(until) as until
      from settlement_files
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and state = 'received'
  `;
  return row?.until ?? null;
}

/** Returns the files whose totals differ from their lines. */
export async function listMismatches(
  read: Sql,
  scope: Scope,
): Promise<{ readonly file: string; readonly day: string; readonly mismatch: string }[]> {
  return read<{ file: string; day: string; mismatch: string }>`
    select id as file, day::text as day, mismatch
      from settlement_files
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and state = 'received' and mismatch is not null
     order by day
  `;
}
