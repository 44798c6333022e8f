import type { Database } from "../../database/database.ts";
import { type GroupCommit, groupCommit } from "../../database/group-commit.ts";
import { pinnedPlans } from "../../database/pinned-plans.ts";
import type { Tx } from "../../database/sql.ts";
import type { Clock } from "../../primitives/clock.ts";
import { insertAuthorizations, readAuthorizations } from "./authorization.sql.ts";
import type { Authorization, Key } from "./authorization.ts";

/** A line as it stands in the books, and whether this request is the one that wrote it. */
export type Recorded = { readonly line: Authorization; readonly first: boolean };

/**
 * The acquirer's books, written by group commit on connections of their own. A line is durable before anybody
 * hears of it, and its reference decides between requests that come twice, from however many processes.
 */
export function openBooks(database: Database, clock: Clock): GroupCommit<Authorization, Recorded> {
  return groupCommit({
    connect: () => database.connect(pinnedPlans),
    connections: 2,
    maxBatch: 64,
    maxQueue: 20_000,
    write: (tx, lines) => recordTogether(tx, lines, clock.now()),
  });
}

async function recordTogether(tx: Tx, lines: Authorization[], now: Date): Promise<Recorded[]> {
  // Two batches that hold the same references must take them in the same order, or they wait for each other.
  const inserted = await insertAuthorizations(tx, lines.toSorted(byKey), now);
  if (inserted.length === lines.length) return lines.map((line) => ({ line, first: true }));

  // The rest was there already, or came twice in this very batch; what is there is what is answered.
  const fresh = new Set(inserted.map(textOf));
  const firsts = lines.map((line) => fresh.delete(textOf(line)));
  const others = await readAuthorizations(
    tx,
    lines.filter((_, index) => !firsts[index]),
  );
  const standing = new Map(others.map((line) => [textOf(line), line]));
  return lines.map((line, index) =>
    firsts[index]
      ? { line, first: true }
      : { line: standing.get(textOf(line)) as Authorization, first: false },
  );
}

function byKey(a: Key, b: Key): number {
  if (a.reference !== b.reference) return a.reference < b.reference ? -1 : 1;
  return a.merchant < b.merchant ? -1 : 1;
}

function textOf(key: Key): string {
  return `${key.merchant}|${key.reference}`;
}
