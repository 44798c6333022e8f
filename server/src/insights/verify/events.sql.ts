import { idFromUuid } from "../../core/ids.ts";
import { fragment, type Sql } from "../../platform/database/sql.ts";
import {
  type CheckOptions,
  describe,
  type Found,
  isWithinEventRetention,
  limitExamples,
  mergeFound,
} from "./check.ts";

/** Finds charges without exactly one event for each final state that they reached. */
export async function findChargesAnnouncedWrongly(
  read: Sql,
  options: CheckOptions,
): Promise<Found> {
  const rows = await read<{ total: number; id: string; status: string; announced: string | null }>`
    with announced as (
      select account_id, livemode, object_id,
             count(*) filter (where type = 'payment.succeeded') as succeeded,
             count(*) filter (where type = 'payment_failed') as failed,
             count(*) filter (where type = 'payment.authorized') as authorized,
             count(*) filter (where type = 'payment.captured') as captured,
             count(*) filter (where type = 'payment.canceled') as canceled,
             count(*) filter (where type = 'payment.capture_failed') as capture_failed,
             string_agg(type, ', ' order by id) as all
        from events
       where type in ('payment.succeeded', 'payment_failed', 'payment.authorized', 'payment.captured',
                      'payment.canceled', 'payment.capture_failed')
       group by account_id, livemode, object_id
    )
    select count(*) over () as total, c.id, c.status, a.all as announced
      from charges c
      left join announced a
        on a.account_id = c.account_id and a.livemode = c.livemode and a.object_id = c.id
     where not coalesce(
       case case when c.failure_entry_id is null then c.status else 'succeeded' end
         when 'succeeded' then
           a.failed = 0 and a.canceled = 0 and a.succeeded <= 1 and a.captured <= 1
           -- A charge with a manual capture or a review is authorized first. Any other charge succeeds immediately.
           and case when c.capture_method = 'manual' or c.decision_outcome = 'review'
                    then a.authorized = 1 and a.succeeded + a.captured >= 1
                    else a.succeeded = 1 and a.authorized = 0
               end
         when 'failed' then
           a.failed = 1 and a.succeeded = 0 and a.authorized = 0 and a.captured = 0 and a.canceled = 0
         when 'authorized' then
           a.authorized = 1 and a.succeeded = 0 and a.failed = 0 and a.captured = 0 and a.canceled = 0
         when 'canceled' then
           a.canceled = 1 and a.authorized <= 1 and a.succeeded = 0 and a.failed = 0 and a.captured = 0
         else a.all is null
       end and coalesce(a.capture_failed, 0) = (c.failure_entry_id is not null)::integer, c.status in ('processing', 'requires_action'))
       and ${isWithinEventRetention(fragment`c.id`, options)}
     ${limitExamples}
  `;
  return describe(rows, ({ id, status, announced }) =>
    announced === null
      ? `${idFromUuid("ch", id)} is ${status}, but has no event for that status.`
      : `${idFromUuid("ch", id)} is ${status}, but its events are: ${announced}.`,
  );
}

/** Finds completed and expired sessions without exactly one event, and other sessions with an event. */
export async function findSessionsAnnouncedWrongly(
  read: Sql,
  options: CheckOptions,
): Promise<Found> {
  const rows = await read<{ total: number; id: string; status: string; announced: string | null }>`
    with announced as (
      select account_id, livemode, object_id,
             count(*) filter (where type = 'checkout_session.completed') as completed,
             count(*) filter (where type = 'checkout_session.expired') as expired,
             string_agg(type, ', ' order by id) as all
        from events
       where type in ('checkout_session.completed', 'checkout_session.expired')
       group by account_id, livemode, object_id
    )
    select count(*) over () as total, s.id, s.status, a.all as announced
      from checkout_sessions s
      left join announced a
        on a.account_id = s.account_id and a.livemode = s.livemode and a.object_id = s.id
     where (coalesce(a.completed, 0) <> (s.status = 'complete')::integer
            or coalesce(a.expired, 0) <> (s.status = 'expired')::integer)
       and ${isWithinEventRetention(fragment`s.id`, options)}
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, status, announced }) =>
      `${idFromUuid("cs", id)} is ${status}, but its events are: ${announced ?? "none"}.`,
  );
}

/** Finds events about a payment or session that does not exist. */
export async function findEventsAboutNothing(read: Sql): Promise<Found> {
  const payments = await read<{ total: number; id: string; type: string }>`
    select count(*) over () as total, e.id, e.type
      from events e
      left join charges c
        on c.account_id = e.account_id and c.livemode = e.livemode and c.id = e.object_id
     where e.type in ('payment.succeeded', 'payment_failed', 'payment.authorized', 'payment.captured',
                      'payment.canceled', 'payment.capture_failed', 'payment.requires_action')
       and c.id is null
     ${limitExamples}
  `;
  const sessions = await read<{ total: number; id: string; type: string }>`
    select count(*) over () as total, e.id, e.type
      from events e
      left join checkout_sessions s
        on s.account_id = e.account_id and s.livemode = e.livemode and s.id = e.object_id
     where e.type in ('checkout_session.completed', 'checkout_session.expired') and s.id is null
     ${limitExamples}
  `;
  const sentence = ({ id, type }: { id: string; type: string }) =>
    `${idFromUuid("evt", id)} (${type}) has an object that does not exist.`;
  return mergeFound(describe(payments, sentence), describe(sessions, sentence));
}
