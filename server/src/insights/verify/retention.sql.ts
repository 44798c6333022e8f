import { idFromUuid } from "../../core/ids.ts";
import { fragment, type Sql } from "../../platform/database/sql.ts";
import { describe, type Found, limitExamples } from "./check.ts";

/**
 * Finds cards in the vault without a payment method that may still be charged. A payment method may still be charged if
 * it is saved, if its session is open or ended moments ago, or if it is detached and its charge or verification is in
 * progress or ended moments ago. If the charge of a session is in manual review, the session's cards must be erased
 * four days after the session's expiry, because every schedule of inquiries has ended by then. Closed accounts are not
 * checked, because their retention period is a setting of the server.
 */
export async function findCardsBeyondTheirTerm(read: Sql, stuckAfterMs: number): Promise<Found> {
  const latest = fragment`now() - make_interval(secs => ${stuckAfterMs / 1000})`;
  const rows = await read<{ total: number; id: string; why: string }>`
    select count(*) over () as total, v.id,
           case when p.id is null then 'it has no payment method'
                when p.detached_at is not null then 'it is detached'
                when s.status = 'processing' then 'it was not saved and its charge is in manual review'
                else 'it was not saved and its session is ' || s.status end as why
      from vault_cards v
      left join payment_methods p
        on p.account_id = v.account_id and p.livemode = v.livemode and p.id = v.id
      left join checkout_sessions s
        on s.account_id = p.account_id and s.livemode = p.livemode and s.id = p.checkout_session_id
      left join charges c
        on c.account_id = s.account_id and c.livemode = s.livemode and c.id = s.charge_id
     where p.id is null
        or (p.detached_at is not null
            and not exists (
              select from charges u
               where u.account_id = v.account_id and u.livemode = v.livemode and u.payment_method_id = v.id
                 and u.payment_method_id >= '01000000-0000-0000-0000-000000000000'
                 and (u.status in ('processing', 'requires_action') or u.finalized_at >= ${latest})
            )
            and not exists (
              select from card_verifications u
               where u.account_id = v.account_id and u.livemode = v.livemode and u.payment_method_id = v.id
                 and (u.due_at is not null or u.finalized_at >= ${latest})
            ))
        or (p.customer_id is null and p.detached_at is null
            and s.status in ('complete', 'expired', 'canceled', 'failed')
            and coalesce(c.finalized_at, s.expires_at) < ${latest})
        or (p.customer_id is null and p.detached_at is null
            and s.status = 'processing' and c.pending_reason = 'manual_review'
            and s.expires_at + interval '4 days' < ${latest})
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, why }) => `The card of ${idFromUuid("pm", id)} is stored, but ${why}.`,
  );
}
