import type { Acquirers } from "../../acquiring/acquirers.ts";
import type { PayoutResponse } from "../../acquiring/processor.ts";
import type { Clock } from "../../core/clock.ts";
import type { AccountId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { assertTransition } from "../../core/transitions.ts";
import { dayOf } from "../../core/utc-day.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Sql } from "../../platform/database/sql.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import { startDueWork } from "../../platform/jobs/due-work.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import type { Transition } from "../commit/transition.ts";
import { createScheduledPayouts, payoutEvent } from "./create-payout.ts";
import {
  claimDuePayouts,
  isScheduled,
  listScheduled,
  payoutOutcome,
  readPayout,
} from "./payout.sql.ts";
import {
  applyPayoutResponse,
  inquiryLeaseMs,
  type Payout,
  type PayoutTransition,
  payoutTransitions,
} from "./payout.ts";

/** The dependencies of the operations on payouts. */
export type PayoutDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly acquirers: Acquirers;
  readonly wakeDeliveries: () => void;
};

const batchSize = 32;

/**
 * Starts the job that sends payouts to the bank and requests their status. The payout ID is the reference, so a payout
 * is paid once.
 */
export function startPayouts(deps: PayoutDeps, background: Background): Loop {
  return startDueWork({
    name: "payouts",
    everyMs: 1_000,
    batchSize,
    take: (limit) => claimDuePayouts(deps, { leaseMs: inquiryLeaseMs, limit }),
    handle: (payout) => sendPayout(deps, payout),
    background,
  });
}

async function sendPayout(deps: PayoutDeps, { scope, id, price }: Payout): Promise<void> {
  const processor = deps.acquirers.payerOf(scope);
  if (!processor?.payOut) return;
  const response = await processor.payOut({ account: scope.account, reference: id, price });
  await recordPayout(deps, scope, id, response);
}

/**
 * Applies the bank's response to a payout. Writes the payout, ledger entries, event and deliveries in one statement,
 * unless the payout has changed since it was read.
 */
export async function recordPayout(
  deps: PayoutDeps,
  scope: Scope,
  id: Payout["id"],
  response: PayoutResponse,
): Promise<void> {
  const now = deps.clock.now();
  await deps.database.transaction(async (tx) => {
    const payout = await readPayout(tx, scope, id);
    const move = payout && applyPayoutResponse(payout, response, now);
    if (!move) return;
    assertTransition(payoutTransitions, id, payout.status, move.payout.status);
    await commitTransition(tx, payoutTransition(move, now));
  });
  deps.wakeDeliveries();
}

/** Returns the transition to a payout's next state. */
export function payoutTransition(
  { payout, entry, event }: PayoutTransition,
  now: Date,
): Transition<"payoutOutcome"> {
  return {
    scope: payout.scope,
    change: payoutOutcome(payout),
    entries: entry ? [entry] : [],
    events: event ? [payoutEvent(payout, event, now)] : [],
  };
}

/**
 * Pays out the available balance of one merchant's test mode now, if the merchant has a daily schedule and no automatic
 * payout of this day.
 */
export async function payOutSchedule(
  { database, clock }: Pick<PayoutDeps, "database" | "clock">,
  { account }: Scope,
): Promise<void> {
  const now = clock.now();
  const day = dayOf(now);
  if (!(await isScheduled(database.read, account, day))) return;
  const scope = { account, livemode: false };
  await database.transaction((tx) => createScheduledPayouts(tx, scope, day, now));
}

const schedulePageSize = 1_000;

/**
 * Starts the job that pays out the available balance of merchants with a daily schedule. Days are in UTC. `pageSize` is
 * the number of merchants per read.
 */
export function startSchedule(
  { database, clock }: Pick<PayoutDeps, "database" | "clock">,
  background: Background,
  pageSize = schedulePageSize,
): Loop {
  // The time of the last attempt for each merchant. A merchant without a balance to pay out is tried again after a
  // minute.
  const lastAttempts = new Map<string, number>();
  return startLoop({
    name: "payout schedule",
    everyMs: 5_000,
    background,
    async work() {
      const now = clock.now();
      const day = dayOf(now);
      for await (const scope of scheduledOf(database.read, day, pageSize)) {
        const place = `${scope.account} ${scope.livemode}`;
        if ((lastAttempts.get(place) ?? 0) > now.getTime() - 60_000) continue;
        lastAttempts.set(place, now.getTime());
        await database.transaction((tx) => createScheduledPayouts(tx, scope, day, now));
      }
      return false;
    },
  });
}

/** Yields all merchants that await the payout of this day. Most of them may have no balance to pay out. */
async function* scheduledOf(read: Sql, day: string, pageSize: number): AsyncGenerator<Scope> {
  let after: AccountId | null = null;
  for (;;) {
    const page: readonly Scope[] = await listScheduled(read, day, { after, limit: pageSize });
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.account ?? null;
  }
}
