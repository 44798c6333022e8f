import type { AuditContext, Fragment, Sql } from "../database/sql.ts";
import { fragment } from "../database/sql.ts";
import type { ChargeId } from "../primitives/ids.ts";
import type { Census } from "./census.sql.ts";

/** One thing that must hold of the whole database, and how to find where it does not. */
export type Check = {
  readonly name: string;
  /** What is proved when nothing is found: a sentence for the operator. */
  readonly proves: string;
  /** What the check looks at, for the count that is printed beside it. */
  readonly counts: keyof Census;
  readonly find: (read: Sql, options: CheckOptions) => Promise<Found>;
  /** When it is made; always, when left out. */
  readonly applies?: (options: CheckOptions) => boolean;
};

export type CheckOptions = {
  /** Work that is overdue by more than this is stuck. */
  readonly stuckAfterMs: number;
  /**
   * True when no webhook endpoint was changed since it was created. Only then can it be told from the tables which
   * events an endpoint should have got, for an endpoint's past is not kept.
   */
  readonly endpointsNeverChanged: boolean;
  /** Whether every column is searched for card numbers, which reads the whole database. */
  readonly cards: boolean;
  /** Verifies the audit log's authentication codes. Null without its key: then only the hashes are checked. */
  readonly audit: AuditContext | null;
  /** What clients were answered, remembered by themselves. */
  readonly acknowledged: readonly Acknowledged[];
};

/** What a client was told of a charge, and remembers: the status of the charge in the answer. */
export type Acknowledged = { readonly chargeId: ChargeId; readonly status: string };

/** The violations of one check: how many there are, and a sentence for each of the first of them. */
export type Found = { readonly total: number; readonly sentences: readonly string[] };

/** Every statement that finds violations counts them all with `count(*) over ()`. */
type Row = { readonly total: number };

export function tell<Violation extends Row>(
  rows: readonly Violation[],
  sentence: (row: Violation) => string,
): Found {
  return { total: rows[0]?.total ?? 0, sentences: rows.map(sentence) };
}

/** So many are told in words; the rest only counted. A person starts with the first anyway. */
export const firstOnes: Fragment = fragment`limit 20`;

export function together(...parts: readonly Found[]): Found {
  return {
    total: parts.reduce((sum, { total }) => sum + total, 0),
    sentences: parts.flatMap(({ sentences }) => sentences),
  };
}

/**
 * Events are kept for a month, so only of what was begun since is it known what was announced. A thing's events are all
 * younger than itself.
 */
export const eventsAreKept = (id: Fragment): Fragment =>
  fragment`created_at(${id}) > now() - interval '30 days'`;
