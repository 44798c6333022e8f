import { idFromUuid } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { type Found, firstOnes, tell } from "./check.ts";

/**
 * Finds cards in the vault without a payment method that may still be charged: a saved one, or one of a session that
 * is open or ended moments ago. Closed accounts are not checked, because their retention period is a setting of the
 * server.
 */
export async function findCardsBeyondTheirTerm(read: Sql, stuckAfterMs: number): Promise<Found> {
  const rows = await read<{ total: number; id: string; why: string }>`
    select count(*) over () as total, v.id,
           case when p.id is null then 'has no payment method'
                when p.detached_at is not null then 'is detached'
                else 'was not saved, and its session is ' || s.status end as why
      from vault_cards v
      left join payment_methods p
        on p.account_id = v.account_id and p.livemode = v.livemode and p.id = v.id
      left join checkout_sessions s
        on s.account_id = p.account_id and s.livemode = p.livemode and s.id = p.checkout_session_id
      left join charges c
        on c.account_id = s.account_id and c.livemode = s.livemode and c.id = s.charge_id
     where p.id is null
        or p.detached_at is not null
        or (p.customer_id is null
            and s.status in ('complete', 'expired', 'canceled', 'failed')
            and coalesce(c.settled_at, s.expires_at) < now() - make_interval(secs => ${stuckAfterMs / 1000}))
     ${firstOnes}
  `;
  return tell(rows, ({ id, why }) => `The card of ${idFromUuid("pm", id)} is stored and ${why}.`);
}
