import type { Tx } from "../../platform/database/sql.ts";

export type ErasedOfSessions = { readonly sessions: number; readonly cards: number };

/**
 * Erases the cards of ended sessions, except cards that were saved for a customer. A session that waits for 3-D Secure
 * or has an unknown outcome has not ended, so its card is kept.
 *
 * Each session is locked during this statement only, and other workers skip it. Serves every account and returns no
 * merchant data.
 */
export async function eraseCardsOfEndedSessions(tx: Tx, limit: number): Promise<ErasedOfSessions> {
  const [row] = await tx<ErasedOfSessions>`
    with ended as materialized (
      select account_id, livemode, id
        from checkout_sessions
       where card_count > 0 and status in ('complete', 'expired', 'canceled', 'failed')
       order by id
       limit ${limit}
         for update skip locked
    ),
    erased as (
      delete from vault_cards v
       using ended e, payment_methods p
       where p.checkout_session_id = e.id and p.account_id = e.account_id and p.livemode = e.livemode
         and p.customer_id is null
         and v.account_id = p.account_id and v.livemode = p.livemode and v.id = p.id
      returning v.id
    ),
    done as (
      update checkout_sessions s
         set card_count = 0
        from ended e
       where s.account_id = e.account_id and s.livemode = e.livemode and s.id = e.id
    )
    select (select count(*) from ended) as sessions, (select count(*) from erased) as cards
  `;
  return row as ErasedOfSessions;
}

/**
 * Erases the cards of sessions past their expiry time whose charge is in manual review, because its status inquiries
 * have had no outcome for about three days. Later requests to the acquirer identify the charge by its reference, and no
 * other attempt can use the cards of such a session. Consent to save an erased card is withdrawn.
 *
 * The charge is locked first, in the lock order of the statements that record its outcome. A charge that another
 * transaction has locked is skipped. Serves every account and returns no merchant data.
 */
export async function eraseCardsOfUnresolvedSessions(
  tx: Tx,
  now: Date,
  limit: number,
): Promise<ErasedOfSessions> {
  const [row] = await tx<ErasedOfSessions>`
    with unresolved as materialized (
      select s.account_id, s.livemode, s.id
        from charges c
        join checkout_sessions s
          on s.account_id = c.account_id and s.livemode = c.livemode and s.id = c.checkout_session_id
       where c.due_at is null and c.pending_reason = 'manual_review' and c.status = 'processing'
         and s.charge_id = c.id and s.status = 'processing' and s.card_count > 0 and s.expires_at <= ${now}
       limit ${limit}
         for update skip locked
    ),
    unsaved as (
      update payment_methods p
         set consented_at = null
        from unresolved u
       where p.checkout_session_id = u.id and p.account_id = u.account_id and p.livemode = u.livemode
         and p.customer_id is null
      returning p.account_id, p.livemode, p.id
    ),
    erased as (
      delete from vault_cards v
       using unsaved p
       where v.account_id = p.account_id and v.livemode = p.livemode and v.id = p.id
      returning v.id
    ),
    done as (
      update checkout_sessions s
         set card_count = 0
        from unresolved u
       where s.account_id = u.account_id and s.livemode = u.livemode and s.id = u.id
    )
    select (select count(*) from unresolved) as sessions, (select count(*) from erased) as cards
  `;
  return row as ErasedOfSessions;
}

/**
 * Erases cards that could not be erased when they were detached, because a charge or a card verification was in
 * progress. Each of their charges must have ended or be in manual review. Returns the number erased. Serves every
 * account and returns no merchant data.
 */
export async function eraseDetachedCards(tx: Tx, limit: number): Promise<number> {
  const rows = await tx`
    with due as materialized (
      select account_id, livemode, id
        from vault_cards d
       where erase_requested_at is not null
         and not exists (
           select from charges c
            where c.account_id = d.account_id and c.livemode = d.livemode and c.payment_method_id = d.id
              and c.payment_method_id >= '01000000-0000-0000-0000-000000000000'
              and c.status in ('processing', 'requires_action')
              and c.pending_reason is distinct from 'manual_review'
         )
         and not exists (
           select from card_verifications v
            where v.account_id = d.account_id and v.livemode = d.livemode and v.payment_method_id = d.id
              and v.due_at is not null
         )
       order by erase_requested_at
       limit ${limit}
         for update skip locked
    )
    delete from vault_cards v
     using due
     where v.account_id = due.account_id and v.livemode = due.livemode and v.id = due.id
    returning v.id
  `;
  return rows.length;
}

/**
 * Erases the cards of accounts that were closed before `closedBefore`. Returns the number erased. Serves every account
 * and returns no merchant data.
 */
export async function eraseCardsOfClosedAccounts(
  tx: Tx,
  closedBefore: Date,
  limit: number,
): Promise<number> {
  const rows = await tx`
    with due as materialized (
      select c.account_id, c.livemode, c.id
        from accounts a
       cross join lateral (
         select account_id, livemode, id from vault_cards
          where account_id = a.id
          limit ${limit}
            for update skip locked
       ) c
       where a.closed_at is not null and a.closed_at < ${closedBefore}
       limit ${limit}
    )
    delete from vault_cards v
     using due
     where v.account_id = due.account_id and v.livemode = due.livemode and v.id = due.id
    returning v.id
  `;
  return rows.length;
}
