import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { idFromUuid } from "../../src/core/ids.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { slowed } from "../slowness.ts";
import type { Clients } from "./crash-clients.ts";

/** Waits until every client has its response and every charge has an outcome. Returns the time since `from`. */
export async function waitForOutcomes(
  database: Database,
  from: number,
  clients: Clients,
): Promise<number> {
  await clients.finished();
  const countOpen = () => database.read<{ open: number }>`
    select count(*) as open from charges where status = 'processing'
  `;
  return waitUntilNoneIsOpen(countOpen, from, "charges have no outcome");
}

/**
 * Makes delayed inquiries due now, and returns their number. Crashes interrupted the earlier inquiries of these
 * charges. The schedule, which other tests verify, would delay the fifth inquiry by minutes.
 */
export async function makeDelayedInquiriesDue(database: Database): Promise<number> {
  const rows = await database.transaction(
    (tx) => tx`
      update charges set due_at = now()
       where status = 'processing' and inquiries > 0 and claimed_by = 0
         and due_at > now() + interval '40 seconds'
      returning id
    `,
  );
  return rows.length;
}

/** Lists the oldest unfinished charges, to diagnose a run that does not finish. */
export async function listOldestOpen(database: Database): Promise<string[]> {
  const rows = await database.read<Record<string, unknown>>`
    select id, idempotency_key, pending_reason, inquiries, claimed_by, due_at, now(),
           (select count(*) from charges where status = 'processing') as all
      from charges where status = 'processing' order by id limit 10
  `;
  return rows.map((row) => JSON.stringify(row));
}

export function waitForDeliveries(database: Database, from: number): Promise<number> {
  const countOpen = () => database.read<{ open: number }>`
    select count(*) as open from webhook_deliveries where status = 'pending'
  `;
  return waitUntilNoneIsOpen(countOpen, from, "events are not delivered");
}

/** Waits until `countOpen` returns 0. Returns the time since `from`. */
async function waitUntilNoneIsOpen(
  countOpen: () => Promise<{ open: number }[]>,
  from: number,
  problem: string,
): Promise<number> {
  for (;;) {
    const [row] = await countOpen();
    const tookMs = performance.now() - from;
    if (row?.open === 0) return tookMs;
    assert(tookMs < slowed(180_000), `${row?.open} ${problem} after three minutes`);
    await sleep(250);
  }
}

export async function listEventsMissing(
  database: Database,
  received: ReadonlyMap<string, number>,
): Promise<string[]> {
  const events = await database.read<{ id: string }>`select id from events`;
  return events.map(({ id }) => idFromUuid("evt", id)).filter((id) => !received.has(id));
}

export async function listSessionsLost(
  database: Database,
  completed: ReadonlySet<string>,
): Promise<string[]> {
  const rows = await database.read<{ id: string }>`
    select id from checkout_sessions where status = 'complete'
  `;
  const complete = new Set<string>(rows.map(({ id }) => idFromUuid("cs", id)));
  return [...completed].filter((id) => !complete.has(id));
}
