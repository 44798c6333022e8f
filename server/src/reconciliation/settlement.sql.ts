import assert from "node:assert/strict";
import {
  bigints,
  integers,
  rowsOf,
  texts,
  timestamps,
  uuids,
} from "../database/array-parameter.ts";
import type { Sql, Tx } from "../database/sql.ts";
import { uuidOf } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import type { SettlementLine } from "../processors/settlement-file.ts";
import type { Noun } from "./subject.ts";

/** A file under way; its uuid is new with each attempt, so that a broken one leaves nothing that counts. */
export type Incoming = {
  readonly owner: Owner;
  readonly file: string;
  readonly day: string;
  readonly processor: string;
};

/** A line with its number, and what of ours it is about. */
export type PlacedLine = SettlementLine & {
  readonly number: number;
  readonly noun: Noun;
  readonly subject: string;
};

export async function insertFile(tx: Tx, { owner, file, day, processor }: Incoming): Promise<void> {
  await tx`
    insert into settlement_files (account_id, livemode, id, day, processor, state)
    values (${uuidOf(owner.account)}, ${owner.livemode}, ${file}, ${day}, ${processor}, 'receiving')
  `;
}

/** Keeps the file from being removed while its lines are written, which would belong to nothing then. */
export async function holdFile(tx: Tx, { owner, file, day }: Incoming): Promise<void> {
  const held = await tx`
    select
      from settlement_files
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and id = ${file}
       for key share
  `;
  assert.equal(held.length, 1, `the settlement file of ${day} is gone while it is received`);
}

export async function insertLines(
  tx: Tx,
  { owner, file }: Incoming,
  lines: readonly PlacedLine[],
): Promise<void> {
  const placed = rowsOf({
    line: integers(lines, ({ number }) => number),
    type: texts(lines, ({ type }) => type),
    noun: texts(lines, ({ noun }) => noun),
    subject: uuids(lines, ({ subject }) => subject),
    reference: texts(lines, ({ reference }) => reference),
    booked_at: timestamps(lines, ({ bookedAt }) => bookedAt),
    currency: texts(lines, ({ currency }) => currency),
    amount: bigints(lines, ({ amountMinor }) => amountMinor),
    fee: bigints(lines, ({ feeMinor }) => feeMinor),
  });
  await tx`
    insert into settlement_lines (
      account_id, livemode, file_id, line, type, noun, subject, reference, booked_at, currency, amount, fee
    )
    select ${uuidOf(owner.account)}, ${owner.livemode}, ${file}, l.*
      from ${placed} as l
  `;
}

/** The whole file is there: from now on it counts. There is no other of its day any more (`removeOthers`). */
export async function completeFile(
  tx: Tx,
  incoming: Incoming,
  found: { readonly until: Date; readonly mismatch: string | null },
): Promise<void> {
  const { owner, file, day } = incoming;
  const completed = await tx`
    update settlement_files
       set state = 'received', until = ${found.until}, mismatch = ${found.mismatch}
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and id = ${file}
    returning id
  `;
  assert.equal(completed.length, 1, `the settlement file of ${day} is gone while it is received`);
}

/** Removes what came of the same day before, and names it: earlier files, and attempts that broke off. */
export async function removeOthers(tx: Tx, { owner, file, day }: Incoming): Promise<string[]> {
  const removed = await tx<{ id: string }>`
    delete from settlement_files
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and day = ${day} and id <> ${file}
    returning id
  `;
  return removed.map(({ id }) => id);
}

/** A statement of its own: it sees also the lines that were written while the files' removal waited for them. */
export async function removeLines(tx: Tx, owner: Owner, files: readonly string[]): Promise<void> {
  await tx`
    delete from settlement_lines
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and file_id = any(${files}::uuid[])
  `;
}

/** Up to when the acquirer's files tell of everything; null while there is none. */
export async function readSettledUntil(read: Sql, owner: Owner): Promise<Date | null> {
  const [row] = await read<{ until: Date | null }>`
    select max(until) as until
      from settlement_files
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and state = 'received'
  `;
  return row?.until ?? null;
}

/** Files whose own totals are not those of their lines. */
export async function listMismatches(
  read: Sql,
  owner: Owner,
): Promise<{ readonly file: string; readonly day: string; readonly mismatch: string }[]> {
  return read<{ file: string; day: string; mismatch: string }>`
    select id as file, day::text as day, mismatch
      from settlement_files
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       and state = 'received' and mismatch is not null
     order by day
  `;
}
