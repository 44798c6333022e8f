import { idFromUuid } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { describe, type Found, limitExamples, mergeFound } from "./check.ts";

const session = (uuid: string): string => idFromUuid("cs", uuid);
const charge = (uuid: string): string => idFromUuid("ch", uuid);

/** Finds sessions whose status or amount does not match their charge. */
export async function findSessionsUnlikeTheirCharge(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    status: string;
    charge_id: string | null;
    charge_status: string | null;
  }>`
    select count(*) over () as total, s.id, s.status || ', ' || s.payment_status as status, s.charge_id,
           c.status as charge_status
      from checkout_sessions s
      left join charges c
        on c.account_id = s.account_id and c.livemode = s.livemode and c.id = s.charge_id
     where s.mode = 'payment' and not coalesce(
             case s.status
               when 'complete' then c.status = case s.payment_status when 'paid' then 'succeeded'
                                                                     when 'authorized' then 'authorized'
                                                                     else 'canceled' end
                                    or (s.payment_status = 'unpaid' and c.failure_entry_id is not null)
               when 'processing' then c.status = 'processing'
               when 'requires_action' then c.status = 'requires_action'
               when 'canceled' then s.charge_id is null or c.status = 'canceled'
               else s.charge_id is null or c.status = 'failed'
             end, false)
        or (c.id is not null and (s.mode <> 'payment' or c.amount <> s.amount or c.currency <> s.currency
                                  or c.checkout_session_id is distinct from s.id))
     ${limitExamples}
  `;
  return describe(rows, ({ id, status, charge_id, charge_status }) => {
    if (charge_id === null) return `${session(id)} is ${status}, but has no charge.`;
    const state = charge_status === null ? "does not exist" : `is ${charge_status}`;
    return `${session(id)} is ${status}, but its ${charge(charge_id)} ${state}, or has another amount or session.`;
  });
}

/** Finds sessions of mode `setup` whose status or saved card does not match their verification. */
export async function findSessionsUnlikeTheirVerification(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; id: string; status: string; verified: string | null }>`
    select count(*) over () as total, s.id, s.status, v.status as verified
      from checkout_sessions s
      left join card_verifications v
        on v.account_id = s.account_id and v.livemode = s.livemode and v.id = s.verification_id
      left join payment_methods p
        on p.account_id = s.account_id and p.livemode = s.livemode and p.id = s.payment_method_id
     where s.mode = 'setup' and not coalesce(
             case s.status
               when 'complete' then v.status = 'succeeded' and v.payment_method_id = s.payment_method_id
                                    and p.verification_id = v.id
               when 'processing' then v.status = 'processing'
               when 'requires_action' then v.status = 'requires_action'
               else s.payment_method_id is null and (s.verification_id is null or v.status = 'failed')
             end, false)
     ${limitExamples}
  `;
  const unsaved = await read<{ total: number; id: string; verified: string }>`
    select count(*) over () as total, p.id, v.status as verified
      from payment_methods p
      join card_verifications v
        on v.account_id = p.account_id and v.livemode = p.livemode and v.id = p.verification_id
     where v.status <> 'succeeded'
     ${limitExamples}
  `;
  return mergeFound(
    describe(
      rows,
      ({ id, status, verified }) =>
        `${session(id)} is ${status}, but its verification is ${verified ?? "missing"}, or it has saved another card.`,
    ),
    describe(
      unsaved,
      ({ id, verified }) =>
        `${idFromUuid("pm", id)} was saved by a verification, but the verification is ${verified}.`,
    ),
  );
}

/** Finds sessions that were paid twice, and charges that did not fail although their session does not refer to them. */
export async function findSessionsPaidTwice(read: Sql): Promise<Found> {
  const twice = await read<{ total: number; id: string; payments: number }>`
    select count(*) over () as total, checkout_session_id as id, count(*) as payments
      from charges
     where checkout_session_id is not null and status in ('succeeded', 'authorized')
     group by account_id, livemode, checkout_session_id
    having count(*) > 1
     ${limitExamples}
  `;
  const unknown = await read<{ total: number; id: string; status: string; session_id: string }>`
    select count(*) over () as total, c.id, c.status, c.checkout_session_id as session_id
      from charges c
      left join checkout_sessions s
        on s.account_id = c.account_id and s.livemode = c.livemode and s.id = c.checkout_session_id
     where c.checkout_session_id is not null
       and (s.id is null or (c.status <> 'failed' and s.charge_id is distinct from c.id))
     ${limitExamples}
  `;
  return mergeFound(
    describe(twice, ({ id, payments }) => `${session(id)} was paid ${payments} times.`),
    describe(
      unknown,
      ({ id, status, session_id }) =>
        `${charge(id)} is ${status}, but ${session(session_id)} does not exist or has another charge.`,
    ),
  );
}
