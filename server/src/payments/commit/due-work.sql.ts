import { type DisputeId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { fragment, type Tx } from "../../platform/database/sql.ts";
import type { Queue } from "../../platform/jobs/claim-due.sql.ts";

/*
 * Queries for due work. Claiming a row or changing `due_at` is not a state transition, so it does not increment
 * `version`.
 */

const key = fragment`account_id, livemode, id`;
const dueAt = fragment`due_at`;

/**
 * Returns the queue of charges in progress. A charge is due when the lease of its process expires, at its next inquiry,
 * or at the deadline of its challenge.
 */
export function dueCharges(process: number): Queue {
  const waits = fragment`status in ('processing', 'requires_action')`;
  return { table: fragment`charges`, key, dueAt, waits, alsoSets: claimedBy(process) };
}

/**
 * Returns the queue of captures, voids and refunds without an outcome. An operation is due when the lease of its
 * process expires, or at its next inquiry.
 */
export function dueOperations(process: number): Queue {
  const waits = fragment`status = 'processing'`;
  return { table: fragment`operations`, key, dueAt, waits, alsoSets: claimedBy(process) };
}

/** The queue of dispute responses that the network has not confirmed yet. */
export const dueDisputeResponses: Queue = {
  table: fragment`disputes`,
  key,
  dueAt: fragment`response_due_at`,
  waits: fragment`response_due_at is not null`,
  // Counts the attempt before it is made, because a process can end while it sends the response.
  alsoSets: fragment`, response_attempts = response_attempts + 1`,
};

/**
 * Records that the network has confirmed the response to this version of a dispute. If the dispute has a newer version,
 * its response stays due, because the network has not confirmed that version.
 */
export async function finishDisputeResponse(
  tx: Tx,
  dispute: { readonly scope: Scope; readonly id: DisputeId; readonly version: number },
): Promise<void> {
  const { scope, id, version } = dispute;
  await tx`
    update disputes
       set response_due_at = null
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and version = ${version}
  `;
}

/**
 * Decrements the attempt count, because the request was certainly not sent. The response is sent again after the lease.
 */
export async function uncountDisputeResponse(
  tx: Tx,
  dispute: { readonly scope: Scope; readonly id: DisputeId; readonly version: number },
): Promise<void> {
  const { scope, id, version } = dispute;
  await tx`
    update disputes
       set response_attempts = response_attempts - 1
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and version = ${version} and response_attempts > 0
  `;
}

/** The queue of payouts that must be sent to the bank, or whose status must be requested from it. */
export const duePayouts: Queue = {
  table: fragment`payouts`,
  key,
  dueAt,
  waits: fragment`due_at is not null`,
};

function claimedBy(process: number) {
  return fragment`, claimed_by = ${process}`;
}

const everyTable = [fragment`charges`, fragment`operations`];

/**
 * Sets the due time to `now` for every charge and operation that a crashed server process had claimed. Charges and
 * operations that wait for their next inquiry are not claimed and keep their due time.
 */
export async function releaseClaimsOf(tx: Tx, process: number, now: Date): Promise<void> {
  for (const table of everyTable) {
    await tx`
      update ${table}
         set due_at = ${now}
       where status = 'processing' and claimed_by = ${process} and due_at > ${now}
    `;
  }
}

/**
 * The SQL condition for a test-mode charge or operation with an unknown outcome that waits for an inquiry and is not
 * claimed by a process. With the condition on `due_at`, Postgres can use the index of due rows.
 */
export const waitsForSimulator = fragment`not livemode and status = 'processing'
       and pending_reason = 'outcome_unknown' and claimed_by = 0 and due_at is not null`;

/**
 * Sets the due time to `now` for charges and operations that wait for the simulator and are due after `later`. Changes
 * at most `limit` rows of each table. Returns whether there may be more. The update finds the locked rows by their key
 * only, for the reason given at `claimDue`.
 */
export async function bringInquiriesForward(
  tx: Tx,
  now: Date,
  later: Date,
  limit: number,
): Promise<boolean> {
  let more = false;
  for (const table of everyTable) {
    const rows = await tx`
      with waiting as materialized (
        select ${key}
          from ${table}
         where ${waitsForSimulator} and due_at > ${later}
         order by due_at
         limit ${limit}
           for update skip locked
      )
      update ${table}
         set due_at = ${now}
       where (${key}) in (select ${key} from waiting)
      returning id
    `;
    more ||= rows.length > 0;
  }
  return more;
}
