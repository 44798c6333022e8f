import type { DisputeReason } from "@florin/contract/dispute.ts";
import type { DisputeNotification } from "@florin/server/acquiring/processor.ts";
import { type AccountId, idFromUuid, uuidOf } from "@florin/server/core/ids.ts";
import {
  type Fragment,
  fragment,
  type Sql,
  type Tx,
} from "@florin/server/platform/database/sql.ts";
import type { Key } from "./authorization.ts";

/** A planned dispute, caused by a test card or requested through the test API. */
export type PlannedCase = {
  readonly id: string;
  readonly about: Key;
  readonly amountMinor: number | null;
  readonly reason: DisputeReason;
  readonly isInquiry: boolean;
  readonly opensAt: Date;
};

export async function insertCase(tx: Tx, planned: PlannedCase): Promise<void> {
  const { about } = planned;
  await tx`
    insert into simulator.cases (merchant, id, reference, amount, reason, is_inquiry, state, notify_at)
    values (${about.merchant}, ${planned.id}, ${about.reference}, ${planned.amountMinor}, ${planned.reason},
            ${planned.isInquiry}, 'planned', ${planned.opensAt})
        on conflict do nothing
  `;
}

/**
 * Claims disputes whose notification is due. If a notification is not confirmed, its dispute can be claimed again at
 * `until`. Opens a planned dispute if its payment is captured, postpones it while the payment is only authorized, and
 * drops it otherwise. Skips locked rows, because two servers that lock the same disputes in different orders would
 * deadlock.
 */
export async function claimCaseNotifications(
  tx: Tx,
  now: Date,
  until: Date,
  escalatesAt: Date,
): Promise<DisputeNotification[]> {
  const rows = await tx<{
    merchant: string;
    id: string;
    reference: string;
    amount: number | null;
    reason: DisputeReason;
    is_inquiry: boolean;
    state: DisputeNotification["state"];
  }>`
    with due as materialized (
      select c.merchant as due_merchant, c.id as due_id,
             coalesce(a.state in ('approved', 'pending'), false) as is_valid,
             c.state = 'planned' and coalesce(a.captured and a.state in ('approved', 'pending'), false) as opens,
             ${remainingOf(fragment`c`)} as remaining
        from simulator.cases c
        left join simulator.authorizations a using (merchant, reference)
       where c.notify_at <= ${now}
         for update of c skip locked
    ),
    claimed as (
      update simulator.cases c
         set notify_at = case when c.state <> 'planned' or due.is_valid then ${until}::timestamptz end,
             state = case when due.opens then 'open' else c.state end,
             amount = case when due.opens then least(c.amount, due.remaining) else c.amount end,
             chargeback_amount = case when due.opens and not c.is_inquiry then least(c.amount, due.remaining) else c.chargeback_amount end,
             chargeback_at = case when due.opens and not c.is_inquiry then ${now}::timestamptz else c.chargeback_at end,
             escalates_at = case when due.opens and c.is_inquiry then ${escalatesAt}::timestamptz else c.escalates_at end
        from due
       where c.merchant = due_merchant and c.id = due_id
      returning c.*
    )
    select merchant, id, reference, amount, reason, is_inquiry, state
      from claimed
     where state <> 'planned'
  `;
  return rows.map((row) => ({
    account: idFromUuid("acct", row.merchant),
    livemode: false,
    networkCase: row.id,
    charge: idFromUuid("ch", row.reference),
    reason: row.reason,
    isInquiry: row.is_inquiry,
    amountMinor: row.amount,
    state: row.state,
  }));
}

export async function markCaseNotified(tx: Tx, notification: DisputeNotification): Promise<void> {
  await tx`
    update simulator.cases
       set notify_at = null
     where merchant = ${uuidOf(notification.account)} and id = ${notification.networkCase} and state = ${notification.state}
  `;
}

/** Returns whether all notifications of the dispute are delivered. */
export async function isCaseNotified(
  read: Sql,
  { account, networkCase }: { readonly account: AccountId; readonly networkCase: string },
): Promise<boolean> {
  const pending = await read`
    select
      from simulator.cases
     where merchant = ${uuidOf(account)} and id = ${networkCase} and notify_at is not null
  `;
  return pending.length === 0;
}

/**
 * Returns the amount that is left on the payment of a dispute: the captured amount minus refunds, and minus chargebacks
 * whose amount was not returned. Zero if the payment is not captured.
 */
function remainingOf(dispute: Fragment): Fragment {
  return fragment`
    coalesce((
      select coalesce((select max(o.amount) from simulator.operations o
                        where o.merchant = a.merchant and o.authorization_reference = a.reference
                          and o.kind = 'capture' and o.state = 'done'), a.approved)
             - coalesce((select sum(o.amount) from simulator.operations o
                          where o.merchant = a.merchant and o.authorization_reference = a.reference
                            and o.kind = 'refund' and o.state in ('done', 'pending')), 0)
             - coalesce((select sum(other.chargeback_amount) from simulator.cases other
                          where other.merchant = a.merchant and other.reference = a.reference
                            and other.reversed_at is null), 0)
        from simulator.authorizations a
       where a.merchant = ${dispute}.merchant and a.reference = ${dispute}.reference and a.captured
    ), 0)::bigint`;
}

/** The amount of a dispute, limited to the amount that is left on its payment. */
const remainingOfCase = fragment`least(cases.amount, ${remainingOf(fragment`cases`)})`;

/** A file that the network received as evidence. The network stores the hash of the file, not its content. */
export type ReceivedFile = {
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly sha256: string;
};

/** Records the received response. A response to an inquiry keeps the inquiry from becoming a chargeback. */
export async function recordEvidence(
  tx: Tx,
  { account, networkCase }: { readonly account: AccountId; readonly networkCase: string },
  files: readonly ReceivedFile[],
  awaitsDecision: boolean,
): Promise<void> {
  await tx`
    update simulator.cases
       set evidence_files = ${JSON.stringify(files)}::jsonb,
           escalates_at = case when ${awaitsDecision} then null else escalates_at end
     where merchant = ${uuidOf(account)} and id = ${networkCase}
  `;
}

/** Turns a merchant's overdue inquiries into chargebacks, which debit the amount. */
export async function escalateInquiries(tx: Tx, account: AccountId, now: Date): Promise<void> {
  await tx`
    update simulator.cases
       set chargeback_amount = ${remainingOfCase}, chargeback_at = escalates_at, escalates_at = null
     where merchant = ${uuidOf(account)} and state = 'open' and escalates_at <= ${now}
  `;
}

/** Decides an open dispute and schedules its notification. Returns false if no such dispute is open. */
export async function decideCase(
  tx: Tx,
  { account, networkCase }: { readonly account: AccountId; readonly networkCase: string },
  outcome: "won" | "lost",
  notifyAt: Date,
): Promise<boolean> {
  const rows = await tx`
    update simulator.cases
       set state = ${outcome}, notify_at = ${notifyAt}, escalates_at = null,
           chargeback_amount = case when ${outcome} = 'lost' then coalesce(chargeback_amount, ${remainingOfCase}) else chargeback_amount end,
           chargeback_at = case when ${outcome} = 'lost' then coalesce(chargeback_at, ${notifyAt}) else chargeback_at end,
           reversed_at = case when ${outcome} = 'won' and chargeback_amount is not null then ${notifyAt}::timestamptz end
     where merchant = ${uuidOf(account)} and id = ${networkCase} and state = 'open'
    returning id
  `;
  return rows.length === 1;
}
