import type { DeclineCode } from "@florin/contract/declines.ts";
import type {
  OperationInquiry,
  OperationKind,
  OperationRequest,
} from "@florin/server/acquiring/processor.ts";
import { idFromUuid, uuidOf } from "@florin/server/core/ids.ts";
import { fragment, type Sql, type Tx } from "@florin/server/platform/database/sql.ts";
import type { Key } from "./authorization.ts";
import type { Approval, OperationBehavior, OperationLine } from "./operation.ts";

/** Locks an authorization, so that only one of its operations is decided at a time. */
export async function lockApproval(tx: Tx, key: Key): Promise<Approval | null> {
  const [line] = await tx<{ found: boolean }>`
    select true as found
      from simulator.authorizations
     where merchant = ${key.merchant} and reference = ${key.reference}
       for update
  `;
  if (!line) return null;
  const [row] = await tx<{
    state: Approval["state"];
    approved: number;
    currency: string;
    captured: number;
    refunded: number;
    behavior: OperationBehavior | null;
  }>`
    select a.state, a.approved, a.currency, s.behavior,
           case when a.captured then coalesce(o.captured, a.approved) else 0 end as captured,
           coalesce(o.refunded, 0)::bigint as refunded
      from simulator.authorizations a
      left join simulator.operation_behaviors s using (merchant, reference)
      left join lateral (
        select max(amount) filter (where kind = 'capture' and state = 'done') as captured,
               sum(amount) filter (where kind = 'refund' and state in ('done', 'pending')) as refunded
          from simulator.operations
         where merchant = a.merchant and authorization_reference = a.reference
      ) o on true
     where a.merchant = ${key.merchant} and a.reference = ${key.reference}
  `;
  return (
    (row && {
      state: row.state,
      approvedMinor: row.approved,
      currency: row.currency,
      capturedMinor: row.captured,
      refundedMinor: row.refunded,
      behavior: row.behavior,
    }) ||
    null
  );
}

export async function insertOperationLine(
  tx: Tx,
  request: OperationRequest,
  line: OperationLine,
  now: Date,
): Promise<void> {
  await tx`
    insert into simulator.operations (
      merchant, reference, authorization_reference, kind, amount, currency, state, decline_code, pending_outcome, notify_at, completed_at
    ) values (
      ${uuidOf(request.account)}, ${uuidOf(request.reference)}, ${uuidOf(request.charge)}, ${request.kind},
      ${request.price.amountMinor}, ${request.price.currency}, ${line.state}, ${line.declineCode}, ${line.pendingOutcome},
      ${line.notifyAt}, ${line.state === "done" ? now : null}
    )
  `;
}

/** Marks the authorization as captured or reversed after a capture or a void. */
export async function applyToApproval(
  tx: Tx,
  key: Key,
  kind: OperationKind,
  now: Date,
): Promise<void> {
  if (kind === "refund") return;
  const change =
    kind === "capture"
      ? fragment`captured = true, captured_at = ${now}`
      : fragment`state = 'reversed'`;
  await tx`
    update simulator.authorizations
       set ${change}
     where merchant = ${key.merchant} and reference = ${key.reference}
  `;
}

export async function readOperationLine(
  read: Sql,
  { account, reference }: OperationInquiry,
): Promise<OperationLine | null> {
  const [row] = await read<LineRow>`
    select state, decline_code, pending_outcome, notify_at
      from simulator.operations
     where merchant = ${uuidOf(account)} and reference = ${uuidOf(reference)}
  `;
  return row ? toLine(row) : null;
}

/** Replaces the operation's reference with a random one if the operation was completed before the time `before`. */
export async function forgetReference(
  tx: Tx,
  { account, reference }: OperationInquiry,
  before: Date,
): Promise<void> {
  await tx`
    update simulator.operations
       set reference = gen_random_uuid()
     where merchant = ${uuidOf(account)} and reference = ${uuidOf(reference)} and completed_at < ${before}
  `;
}

export async function insertBehavior(tx: Tx, key: Key, behavior: OperationBehavior): Promise<void> {
  await tx`
    insert into simulator.operation_behaviors (merchant, reference, behavior)
    values (${key.merchant}, ${key.reference}, ${behavior})
        on conflict do nothing
  `;
}

/** Claims operations with a due notification. An unconfirmed notification can be claimed again at `until`. */
export async function claimOperationNotifications(
  tx: Tx,
  now: Date,
  until: Date,
): Promise<(OperationInquiry & { line: OperationLine })[]> {
  const rows = await tx<LineRow & { merchant: string; reference: string }>`
    update simulator.operations
       set state = coalesce(pending_outcome, state), pending_outcome = null, notify_at = ${until},
           completed_at = case when pending_outcome = 'done' then ${now}::timestamptz else completed_at end,
           returned_at = case when pending_outcome = 'declined' and state = 'done' then ${now}::timestamptz else returned_at end
     where notify_at <= ${now}
    returning merchant, reference, state, decline_code, pending_outcome, notify_at
  `;
  return rows.map((row) => ({
    account: idFromUuid("acct", row.merchant),
    reference: idFromUuid("op", row.reference),
    line: toLine(row),
  }));
}

export async function markOperationNotified(
  tx: Tx,
  { account, reference }: OperationInquiry,
): Promise<void> {
  await tx`
    update simulator.operations
       set notify_at = null
     where merchant = ${uuidOf(account)} and reference = ${uuidOf(reference)} and pending_outcome is null
  `;
}

/**
 * Fails a completed or pending refund, as when the cardholder's bank returns the money. Returns false if no completed
 * or pending refund has this reference.
 */
export async function failRefundLine(
  tx: Tx,
  { account, reference }: OperationInquiry,
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    update simulator.operations
       set state = 'declined', pending_outcome = null, decline_code = 'invalid_account', notify_at = ${now},
           returned_at = case when state = 'done' then ${now}::timestamptz end
     where merchant = ${uuidOf(account)} and reference = ${uuidOf(reference)} and kind = 'refund'
       and state in ('done', 'pending')
    returning reference
  `;
  return rows.length === 1;
}

type LineRow = {
  state: OperationLine["state"];
  decline_code: DeclineCode | null;
  pending_outcome: OperationLine["pendingOutcome"];
  notify_at: Date | null;
};

function toLine(row: LineRow): OperationLine {
  return {
    state: row.state,
    declineCode: row.decline_code,
    pendingOutcome: row.pending_outcome,
    notifyAt: row.notify_at,
  };
}
