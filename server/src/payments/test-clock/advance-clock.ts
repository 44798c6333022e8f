import type { TestClockAdvanced } from "@florin/contract/test-clock.ts";
import { ApiError } from "../../core/api-error.ts";
import { boundConcurrency } from "../../core/bounded-concurrency.ts";
import { type AccountId, newId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { type Fragment, fragment, type Tx } from "../../platform/database/sql.ts";
import { lowest } from "../../platform/http/list.ts";
import { type ApiResponse, type Idempotency, ok } from "../../platform/http/route.ts";
import { claimKey, storeMissingResponse } from "../../platform/idempotency/idempotency.sql.ts";
import { lockCheckpoints, moveInCheckpoints } from "../balance/checkpoint.sql.ts";
import {
  type ClockAdvance,
  deleteClockAdvance,
  insertClockAdvance,
  readClockAdvance,
  recordClockProgress,
} from "../commit/clock-advance.sql.ts";
import {
  charges,
  movedTables,
  moveNextRows,
  moveScheduledDays,
  movesBefore,
} from "../commit/test-clock.sql.ts";
import { type PayoutDeps, payOutSchedule } from "../payouts/payout.jobs.ts";
import { lockPayouts } from "../payouts/payout.sql.ts";

/**
 * The number of rows that one transaction reads. Concurrent transactions that write to the same rows wait until this
 * transaction ends. So do the charges of other merchants in the same group commits.
 */
const batchSize = 1_000;

/**
 * The earliest time that an advance may produce. Postgres dates begin in 4713 BC. An advance to before that would fail,
 * and the job would retry it forever.
 */
const earliestTime = new Date("1000-01-01T00:00:00Z");

/**
 * Limits how many transactions of advances run at a time in this process, so that advances leave connections for other
 * requests. The transactions start in the order in which they were queued. At most one transaction of each merchant and
 * one of the job wait.
 */
const limitConcurrency = boundConcurrency({ maxRunning: 2, maxWaiting: Number.POSITIVE_INFINITY });

/**
 * Advances the test clock of a merchant. The advance is recorded first, and its rows then move in many short
 * transactions, because a merchant can have millions of payments. If the process dies, a job continues the advance. The
 * last transaction stores the response.
 */
export function advanceClock(
  deps: PayoutDeps,
  scope: Scope,
  seconds: number,
  idempotency: Idempotency | null,
): Promise<ApiResponse> {
  return deps.idempotencyKeys.runSelfClaiming(scope, idempotency, async () => {
    for (;;) {
      const begun = await deps.database.transactionOf(scope, (tx) =>
        begin(tx, scope, { seconds, idempotency }, deps.clock.now()),
      );
      if (begun === null) return null;
      while ((await moveBatch(deps, begun.advance, fragment`for update`)) === "moved");
      await payOut(deps, begun.advance);
      if (begun.isOwn) return responseTo(seconds);
    }
  });
}

/** Continues an advance until it is complete, the signal is aborted, or another process continues it. */
export async function continueAdvance(
  deps: PayoutDeps,
  advance: ClockAdvance,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const state = await moveBatch(deps, advance, fragment`for update skip locked`);
    if (state === "moved") continue;
    if (state === "completed") await payOut(deps, advance);
    return;
  }
}

/**
 * Records the advance and claims its key. Returns null if the key is taken. If another advance is in progress, returns
 * that one, which must be completed first.
 */
async function begin(
  tx: Tx,
  scope: Scope,
  { seconds, idempotency }: Pick<ClockAdvance, "seconds" | "idempotency">,
  now: Date,
): Promise<{ readonly advance: ClockAdvance; readonly isOwn: boolean } | null> {
  const { account } = scope;
  // A scheduled payout contains the payments of a period. A payout that is created during the advance would keep its
  // period although its payments move.
  await lockPayouts(tx, scope);
  const current = await readClockAdvance(tx, account);
  // The key of the advance is taken until the advance is complete. If its process has died, the job continues it.
  if (current && idempotency && current.idempotency?.key === idempotency.key) return null;
  if (current) return { advance: current, isOwn: false };
  await rejectTooFar(tx, account, seconds);
  if (idempotency) {
    const key = { scope, key: idempotency.key };
    if (!(await claimKey(tx, key, idempotency.fingerprint))) return null;
  }
  const advance: ClockAdvance = {
    account,
    id: uuidOf(newId("adv", now)),
    seconds,
    idempotency,
    startedAt: now,
    movedTables: 0,
    movedThrough: lowest,
  };
  await insertClockAdvance(tx, advance);
  return { advance, isOwn: true };
}

/** Rejects an advance that would move times to before the earliest one that Florin supports. */
async function rejectTooFar(tx: Tx, account: AccountId, seconds: number): Promise<void> {
  if (!(await movesBefore(tx, account, seconds, earliestTime))) return;
  throw new ApiError(
    "parameter_invalid",
    "`seconds` is too large. The test clock advances by moving the account's stored times into the past, and the oldest of them would be before the year 1000. Send a smaller number, or use another account.",
    { param: "seconds" },
  );
}

/**
 * Moves the next rows of one table in one transaction. Other transactions lock a charge before its operations, disputes
 * and session, so an advance that held rows of two tables could deadlock with them. Returns `not_mine` if another
 * process has completed the advance, or if the row of the advance is locked and `lock` skips locked rows.
 */
function moveBatch(
  { database, clock }: PayoutDeps,
  { account, id }: ClockAdvance,
  lock: Fragment,
): Promise<"moved" | "completed" | "not_mine"> {
  const scope = { account, livemode: false };
  const move = async (tx: Tx) => {
    const current = await readClockAdvance(tx, account, lock);
    if (current?.id !== id) return "not_mine";
    const now = clock.now();
    for (let advance = current; ; ) {
      const table = movedTables[advance.movedTables];
      if (!table) {
        await complete(tx, advance);
        return "completed";
      }
      // Locks first, so that a transaction that waits for the checkpoints holds no charges.
      if (table === charges) await lockCheckpoints(tx);
      const { read, moved } = await moveNextRows(tx, advance, table, batchSize);
      if (table === charges) await moveInCheckpoints(tx, account, moved, advance.seconds, now);
      const isTableMoved = read.length < batchSize;
      advance = isTableMoved
        ? { ...advance, movedTables: advance.movedTables + 1, movedThrough: lowest }
        : { ...advance, movedThrough: read.at(-1) ?? lowest };
      // If no row has moved, the transaction has normally locked no row of this table, and continues with the next
      // table.
      if (isTableMoved && moved.length === 0) continue;
      await recordClockProgress(tx, advance, now);
      return "moved";
    }
  };
  return limitConcurrency(() => database.transactionOf(scope, move));
}

/** Ends the advance. Stores the response to its request, because the process that handled the request may have died. */
async function complete(tx: Tx, { account, seconds, idempotency }: ClockAdvance): Promise<void> {
  await moveScheduledDays(tx, account);
  await deleteClockAdvance(tx, account);
  if (!idempotency) return;
  const key = { scope: { account, livemode: false }, key: idempotency.key };
  await storeMissingResponse(tx, key, idempotency.fingerprint, responseTo(seconds));
}

/**
 * Creates the scheduled payouts that are due. The job of the schedule tries each merchant once a minute, which the test
 * clock does not shorten. An error is ignored, because the clock has already advanced, and the job tries again.
 */
async function payOut(deps: PayoutDeps, { account }: ClockAdvance): Promise<void> {
  await payOutSchedule(deps, { account, livemode: false }).catch(() => undefined);
}

function responseTo(seconds: number): ApiResponse {
  const advanced: TestClockAdvanced = {
    object: "test_clock",
    livemode: false,
    advanced_by: seconds,
  };
  return ok(advanced);
}
