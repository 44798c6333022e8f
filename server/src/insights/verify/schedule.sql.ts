import { idFromUuid } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { describe, type Found, limitExamples, mergeFound } from "./check.ts";

/**
 * Finds charges, card verifications, authentications, sessions and deliveries whose scheduled work is overdue or
 * missing.
 */
export async function findStuck(read: Sql, stuckAfterMs: number): Promise<Found> {
  const seconds = stuckAfterMs / 1000;
  const charges = await read<{ total: number; id: string; status: string; since: Date | null }>`
    select count(*) over () as total, id, status, due_at as since
      from charges
     where status in ('processing', 'requires_action')
       and case when due_at is null then pending_reason is distinct from 'manual_review'
                else due_at < now() - make_interval(secs => ${seconds}) end
     ${limitExamples}
  `;
  const verifications = await read<{ total: number; id: string; status: string; since: Date }>`
    select count(*) over () as total, id, status, due_at as since
      from card_verifications
     where due_at < now() - make_interval(secs => ${seconds})
     ${limitExamples}
  `;
  const sessions = await read<{ total: number; id: string; since: Date }>`
    select count(*) over () as total, id, expires_at as since
      from checkout_sessions
     where status = 'open' and expires_at < now() - make_interval(secs => ${seconds})
     ${limitExamples}
  `;
  const deliveries = await read<{ total: number; id: string; since: Date }>`
    -- A delivery to an endpoint with an open circuit breaker is due when the breaker closes or probes.
    select count(*) over () as total, d.id, d.next_attempt_at as since
      from webhook_deliveries d
      left join webhook_endpoints w
        on w.account_id = d.account_id and w.livemode = d.livemode and w.id = d.endpoint_id
     where d.status = 'pending'
       and greatest(d.next_attempt_at, w.backoff_until) < now() - make_interval(secs => ${seconds})
     ${limitExamples}
  `;
  const authentications = await read<{ total: number; id: string; state: string; since: Date }>`
    select count(*) over () as total, charge_id as id, state, due_at as since
      from authentications
     where due_at < now() - make_interval(secs => ${seconds})
     ${limitExamples}
  `;
  return mergeFound(
    describe(charges, ({ id, status, since }) =>
      since === null
        ? `${idFromUuid("ch", id)} is ${status}, but has no due time.`
        : `${idFromUuid("ch", id)} is ${status} and has been due since ${since.toISOString()}.`,
    ),
    describe(
      verifications,
      ({ id, status, since }) =>
        `${idFromUuid("cv", id)} is ${status} and has been due since ${since.toISOString()}.`,
    ),
    describe(
      sessions,
      ({ id, since }) => `${idFromUuid("cs", id)} is open, but expired on ${since.toISOString()}.`,
    ),
    describe(
      authentications,
      ({ id, state, since }) =>
        `The authentication of ${idFromUuid("ch", id)} is ${state} and has been due since ${since.toISOString()}.`,
    ),
    describe(
      deliveries,
      ({ id, since }) => `${idFromUuid("whd", id)} has been due since ${since.toISOString()}.`,
    ),
  );
}
