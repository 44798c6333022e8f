import type { Tx } from "../../platform/database/sql.ts";

export type ErasedOfSessions = { readonly sessions: number; readonly cards: number };

/**
 * Erases the cards of sessions that have ended, except those that were saved for a customer. A session that waits for
 * 3-D Secure or for an unknown outcome has not ended, so it keeps the card that it may still need.
 *
 * The sessions are locked for this statement only, and other workers skip them. Serves every account and returns no
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
 * Erases cards of accounts that were closed before `closedBefore`. Returns their number. Serves every account and
 * returns no merchant data.
 */
export async function eraseCardsOfClosedAccounts(
  tx: Tx,
  closedBefore: Date,
  limit: number,
): Promise<number> {
  const rows = await tx`
    delete from vault_cards v
     using (
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
     ) due
     where v.account_id = due.account_id and v.livemode = due.livemode and v.id = due.id
    returning v.id
  `;
  return rows.length;
}
