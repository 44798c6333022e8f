import type { Span } from "@opentelemetry/api";
import type { Database } from "../../platform/database/database.ts";
import {
  type GroupCommit,
  type GroupCommitOptions,
  groupCommit,
} from "../../platform/database/group-commit.ts";
import { pinnedPlans } from "../../platform/database/pinned-plans.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { outsideOfSpan } from "../../platform/tracing/active-span.ts";
import type { Tracing } from "../../platform/tracing/tracing.ts";
import type { Deliveries } from "../../webhooks/delivery/delivery-worker.ts";
import { commitTransitions } from "./commit-transitions.sql.ts";
import { insertCharges, insertSessions, type NewCharge, type NewSession } from "./intents.sql.ts";
import type { Transition } from "./transition.ts";

/** Writes charges, their outcomes and checkout sessions. Concurrent calls of the same method share one statement. */
export type BatchedCommits = ReturnType<typeof connectBatchedCommits>;

export type BatchMeters = {
  /** Counts the outcome of a charge after its commit. */
  finalized(charge: { livemode: boolean; status: string; declineCode: string }): void;
  /**
   * Records the number of rows in a batch and the duration of its transaction. `traceId` is the trace of a request in
   * the batch.
   */
  wroteBatch(kind: string, rows: number, seconds: number, traceId?: string): void;
};

/** The observers of batches. Each is optional. */
export type BatchObservers = {
  readonly meters?: BatchMeters | undefined;
  readonly tracing?: Tracing | undefined;
};

/**
 * Two connections for each kind of batch and at most 64 rows per batch, as measured in
 * docs/decisions/0003-group-commit.md.
 */
export const batchSize = { connections: 2, maxBatch: 64, maxQueue: 4_096 };

// The return type is inferred, so that "go to definition" on a method opens its statement.
export function connectBatchedCommits(
  database: Database,
  deliveries: Pick<Deliveries, "lease" | "take">,
  observers: BatchObservers = {},
) {
  const { meters } = observers;
  const options = { connect: () => database.connect(pinnedPlans), ...batchSize };
  const charges = observedGroupCommit(
    "insert charges",
    { ...options, write: insertCharges },
    observers,
  );
  const outcomes = observedGroupCommit(
    "finalize charges",
    { ...options, write: commitOutcomes },
    observers,
  );
  const sessions = observedGroupCommit(
    "insert sessions",
    { ...options, connections: 1, write: insertSessions },
    observers,
  );

  function commitOutcomes(tx: Tx, transitions: Transition<"chargeOutcome">[]) {
    return commitTransitions(tx, transitions, deliveries.lease());
  }

  return {
    /** Inserts the intent of a charge. Returns whether it was inserted (`insertCharges`). */
    insertCharge(newCharge: NewCharge): Promise<boolean> {
      return charges(newCharge);
    },

    /** Commits the outcome of a charge. Returns whether it was recorded (`commitTransitions`). */
    async commitCharge(transition: Transition<"chargeOutcome">): Promise<boolean> {
      const { recorded, deliveries: inserted } = await outcomes(transition);
      const { scope, change } = transition;
      if (recorded && meters) countOutcome(meters, transition);
      // The first transition writes version 2, so its events are the first about the charge.
      outsideOfSpan(() => deliveries.take(scope, inserted, change.version === 2));
      return recorded;
    },

    /** Inserts a session. Returns whether its idempotency key was free (`insertSessions`). */
    insertSession(newSession: NewSession): Promise<boolean> {
      return sessions(newSession);
    },

    /** Waits for pending writes to finish. */
    async close(): Promise<void> {
      await Promise.all([charges.close(), outcomes.close(), sessions.close()]);
    },
  };
}

/** Creates a group commit that reports the number of rows and the duration of each batch. */
export function observedGroupCommit<Item extends object, Result>(
  kind: string,
  options: GroupCommitOptions<Item, Result>,
  { meters, tracing }: BatchObservers,
): GroupCommit<Item, Result> {
  if (!meters && !tracing) return groupCommit(options);
  const spans = new WeakMap<Item, Span>();
  const commit = groupCommit({
    ...options,
    async write(tx: Tx, items: Item[]): Promise<Result[]> {
      const began = performance.now();
      const results = await options.write(tx, items);
      const durationMs = performance.now() - began;
      const rows = items.length;
      const [first, ...others] = tracing ? items.flatMap((item) => spans.get(item) ?? []) : [];
      meters?.wroteBatch(kind, rows, durationMs / 1000, first?.spanContext().traceId);
      if (first) tracing?.recordBatch({ kind, rows, durationMs }, [first, ...others]);
      return results;
    },
  });
  return tracing ? traceItems(kind, commit, { tracing, spans }) : commit;
}

/** Returns a group commit with a span for each item of a sampled request, from its submission to its result. */
function traceItems<Item extends object, Result>(
  kind: string,
  commit: GroupCommit<Item, Result>,
  { tracing, spans }: { readonly tracing: Tracing; readonly spans: WeakMap<Item, Span> },
): GroupCommit<Item, Result> {
  async function traced(item: Item, span: Span): Promise<Result> {
    spans.set(item, span);
    try {
      const result = await outsideOfSpan(() => commit(item));
      tracing.endItem(span);
      return result;
    } catch (error) {
      tracing.endItem(span, error);
      throw error;
    }
  }
  const submit = (item: Item): Promise<Result> => {
    const span = tracing.startItem(kind);
    return span ? traced(item, span) : commit(item);
  };
  return Object.assign(submit, { close: commit.close });
}

function countOutcome(meters: BatchMeters, { scope, change }: Transition<"chargeOutcome">): void {
  const { status, pending_reason, decline_code } = change.row;
  meters.finalized({
    livemode: scope.livemode,
    status: pending_reason ?? (status as string),
    declineCode: decline_code ?? "",
  });
}
