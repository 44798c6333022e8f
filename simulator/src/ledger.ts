import type { Clock } from "@florin/server/core/clock.ts";
import type { Database } from "@florin/server/platform/database/database.ts";
import { type GroupCommit, groupCommit } from "@florin/server/platform/database/group-commit.ts";
import { pinnedPlans } from "@florin/server/platform/database/pinned-plans.ts";
import type { Tx } from "@florin/server/platform/database/sql.ts";
import { insertAuthorizations, readAuthorizations } from "./authorization.sql.ts";
import type { Authorization, Key } from "./authorization.ts";

/** A stored authorization. `first` is true if this request inserted it. */
export type Recorded = { readonly line: Authorization; readonly first: boolean };

/**
 * Creates the writer of the simulator's ledger: a group commit on separate connections. An authorization is durable
 * before it is returned. A repeated request with the same reference is idempotent, even from another process.
 */
export function createSimulatorLedger(
  database: Database,
  clock: Clock,
): GroupCommit<Authorization, Recorded> {
  return groupCommit({
    connect: () => database.connect(pinnedPlans),
    connections: 2,
    maxBatch: 64,
    maxQueue: 20_000,
    write: (tx, lines) => recordBatch(tx, lines, clock.now()),
  });
}

async function recordBatch(tx: Tx, lines: Authorization[], now: Date): Promise<Recorded[]> {
  // Sort the authorizations, because concurrent batches that insert the same references in different orders deadlock.
  const inserted = await insertAuthorizations(tx, lines.toSorted(byKey), now);
  if (inserted.length === lines.length) return lines.map((line) => ({ line, first: true }));

  // Return the stored row for an authorization that existed already or occurs twice in this batch.
  const insertedKeys = new Set(inserted.map(textOf));
  const firsts = lines.map((line) => insertedKeys.delete(textOf(line)));
  const others = await readAuthorizations(
    tx,
    lines.filter((_, index) => !firsts[index]),
  );
  const existing = new Map(others.map((line) => [textOf(line), line]));
  return lines.map((line, index) =>
    firsts[index]
      ? { line, first: true }
      : { line: existing.get(textOf(line)) as Authorization, first: false },
  );
}

function byKey(a: Key, b: Key): number {
  if (a.reference !== b.reference) return a.reference < b.reference ? -1 : 1;
  return a.merchant < b.merchant ? -1 : 1;
}

function textOf(key: Key): string {
  return `${key.merchant}|${key.reference}`;
}
