import type { Sql } from "../../platform/database/sql.ts";

/** The numbers of rows that the checks examine. */
export type Census = {
  readonly charges: number;
  readonly approvals: number;
  readonly operations: number;
  readonly disputes: number;
  readonly payouts: number;
  readonly authentications: number;
  readonly transfers: number;
  readonly keys: number;
  readonly events: number;
  readonly deliveries: number;
  readonly sessions: number;
  readonly cards: number;
  readonly settlementLines: number;
  readonly acts: number;
  readonly tables: number;
  readonly acknowledged: number;
};

export async function countAll(read: Sql): Promise<Omit<Census, "acknowledged">> {
  const [row] = await read<Omit<Census, "acknowledged">>`
    select (select count(*) from charges) as charges,
           (select count(*) from simulator.authorizations) as approvals,
           (select count(*) from authentications) as authentications,
           (select count(*) from operations) as operations,
           (select count(*) from disputes) as disputes,
           (select count(*) from payouts) as payouts,
           (select count(*) from ledger_transfers) as transfers,
           (select count(*) from idempotency_keys) as keys,
           (select count(*) from events) as events,
           (select count(*) from webhook_deliveries) as deliveries,
           (select count(*) from checkout_sessions) as sessions,
           (select count(*) from vault_cards) as cards,
           (select count(*) from settlement_lines) as "settlementLines",
           (select count(*) from audit_log) as acts,
           (select count(*) from pg_class t join pg_namespace n on n.oid = t.relnamespace
             where t.relkind = 'r' and n.nspname in ('public', 'simulator')) as tables
  `;
  return row as Omit<Census, "acknowledged">;
}

/** The numbers of charges without an outcome. They are not violations, but the report shows them. */
export type OpenQuestions = {
  readonly awaitingInquiry: number;
  readonly waitingForCardholder: number;
  readonly manualReview: number;
  /**
   * The number of charges that the acquirer has approved, but whose outcome the service does not know yet. A status
   * inquiry will return the approval.
   */
  readonly approvedAtAcquirer: number;
};

export async function countOpenQuestions(read: Sql): Promise<OpenQuestions> {
  const [row] = await read<OpenQuestions>`
    select count(*) filter (where c.status = 'processing'
                              and c.pending_reason is distinct from 'manual_review') as "awaitingInquiry",
           count(*) filter (where c.status = 'requires_action') as "waitingForCardholder",
           count(*) filter (where c.pending_reason = 'manual_review') as "manualReview",
           count(*) filter (where a.state = 'approved') as "approvedAtAcquirer"
      from charges c
      left join simulator.authorizations a on a.merchant = c.account_id and a.reference = c.id
     where c.status in ('processing', 'requires_action')
  `;
  return row as OpenQuestions;
}
