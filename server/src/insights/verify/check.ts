import type { ChargeId } from "../../core/ids.ts";
import type { AuditContext, Fragment, Sql } from "../../platform/database/sql.ts";
import { fragment } from "../../platform/database/sql.ts";
import type { Census } from "./row-counts.sql.ts";

/** An invariant of the whole database, and the query for its violations. */
export type Check = {
  readonly name: string;
  /** The invariant as a sentence for the operator. */
  readonly invariant: string;
  /** The rows that the check examines. The report prints their number. */
  readonly counts: keyof Census;
  readonly find: (read: Sql, options: CheckOptions) => Promise<Found>;
  /** Returns whether the check runs. A check without this function always runs. */
  readonly applies?: (options: CheckOptions) => boolean;
};

export type CheckOptions = {
  /** The time after which overdue work counts as stuck. */
  readonly stuckAfterMs: number;
  /**
   * True when no webhook endpoint was changed since its creation. Only then do the tables show which events an
   * endpoint should have received, because an endpoint's history is not stored.
   */
  readonly endpointsNeverChanged: boolean;
  /** True if every column is searched for card numbers, which reads the whole database. */
  readonly cards: boolean;
  /** The keys for verifying the audit log's authentication codes. Without them (null) only the hashes are checked. */
  readonly audit: AuditContext | null;
  /**
   * If not null, only rows that were created since this time are examined, together with the objects to which they
   * belong. The checks then read copies of the tables (`changed-rows.sql.ts`).
   */
  readonly since: Date | null;
  /** Responses that clients received, as recorded by the clients. */
  readonly acknowledged: readonly Acknowledged[];
};

/** The status of a charge in a response that a client received. */
export type Acknowledged = { readonly chargeId: ChargeId; readonly status: string };

/** The total number of violations of one check, with sentences that describe the first violations. */
export type Found = { readonly total: number; readonly sentences: readonly string[] };

/** Every statement that finds violations counts all violations with `count(*) over ()`. */
type Row = { readonly total: number };

export function describe<Violation extends Row>(
  rows: readonly Violation[],
  sentence: (row: Violation) => string,
): Found {
  return { total: rows[0]?.total ?? 0, sentences: rows.map(sentence) };
}

/** Returns the predicate for the status of an object. The status is null if only its ledger entries or events exist. */
export function stateText(status: string | null): string {
  return status === null ? "does not exist" : `is ${status}`;
}

/** The number of violations that are described. The rest are only counted. */
export const limitExamples: Fragment = fragment`limit 20`;

export function mergeFound(...parts: readonly Found[]): Found {
  return {
    total: parts.reduce((sum, { total }) => sum + total, 0),
    sentences: parts.flatMap(({ sentences }) => sentences),
  };
}

/**
 * Returns a condition that is true while the events of an object are still stored. Events are kept for a month, so a
 * missing event is a violation only for younger objects. A verification with `since` reads only newer events, so it
 * checks only the events of objects that were created after `since`.
 */
export const isWithinEventRetention = (id: Fragment, { since }: CheckOptions): Fragment =>
  fragment`created_at(${id}) > greatest(now() - interval '30 days', ${since}::timestamptz)`;

/**
 * Returns whether all rows are examined. Checks use this function as `applies` if they find violations in unchanged
 * rows, or if they need all rows of a merchant.
 */
export const needsAllRows = ({ since }: CheckOptions): boolean => since === null;
