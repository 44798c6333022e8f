import type { Clock } from "@florin/server/core/clock.ts";
import type { Database } from "@florin/server/platform/database/database.ts";
import { type GroupCommit, groupCommit } from "@florin/server/platform/database/group-commit.ts";
import { pinnedPlans } from "@florin/server/platform/database/pinned-plans.ts";
import type { Tx } from "@florin/server/platform/database/sql.ts";
import { insertAuthorizations, readAuthorizations } from "./authorization.sql.ts";
import type { Authorization, Key } from "./authorization.ts";

/** A stored authorization, and whether this request inserted it. */
export type Recorded = { readonly line: Authorization; readonly first: boolean };

/**
 * Writes the simulator's ledger by group commit on separate connections. An authorization is durable before it is
 * returned. Its reference makes a repeated request idempotent across all processes.
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
    write: (tx, lines) => recordTogether(tx, lines, clock.now()),
  });
}

async function recordTogether(tx: Tx, lines: Authorization[], now: Date): Promise<Recorded[]> {
  // Batches with the same references must insert them in the same order to avoid a deadlock.
  const inserted = await insertAuthorizations(tx, lines.toSorted(byKey), now);
  if (inserted.length === lines.length) return lines.map((line) => ({ line, first: true }));

  // The others existed already or occur twice in this batch. The stored row is returned for them.
  const fresh = new Set(inserted.map(textOf));
  const firsts = lines.map((line) => fresh.delete(textOf(line)));
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
