import { idFromUuid } from "../../core/ids.ts";
import { moneyText } from "../../core/money.ts";
import { fragment, type Sql } from "../../platform/database/sql.ts";
import {
  type CheckOptions,
  describe,
  type Found,
  isWithinEventRetention,
  limitExamples,
  stateText,
} from "./check.ts";

const dispute = (uuid: string): string => idFromUuid("dp", uuid);

/** Finds charges whose disputed amount is not the sum of their disputes. An inquiry and a won dispute count as zero. */
export async function findChargesUnlikeTheirDisputes(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    currency: string;
    disputed: number;
    sum: number;
  }>`
    with taken as (
      select account_id, livemode, charge_id, sum(amount)::bigint as amount
        from disputes
       where not is_inquiry and status <> 'won'
       group by account_id, livemode, charge_id
    )
    select count(*) over () as total, c.id, c.currency, c.amount_disputed as disputed,
           coalesce(t.amount, 0)::bigint as sum
      from charges c
      left join taken t on t.account_id = c.account_id and t.livemode = c.livemode and t.charge_id = c.id
     where c.amount_disputed <> coalesce(t.amount, 0)
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, currency, disputed, sum }) =>
      `${idFromUuid("ch", id)} has a disputed amount of ${moneyText(disputed, currency)}, but its disputes sum to ${moneyText(sum, currency)}.`,
  );
}

/**
 * Finds disputes that are not posted correctly. The amount must be withdrawn once. It must then be returned once if the
 * dispute is won, or lost once if the dispute is lost.
 */
export async function findDisputesNotPosted(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    status: string | null;
    currency: string;
    withdrawn: number;
    returned: number;
    lost: number;
  }>`
    with posted as (
      select account_id, livemode, source_id, min(currency) as currency,
             coalesce(sum(amount) filter (where kind = 'dispute'), 0)::bigint as taken,
             coalesce(sum(amount) filter (where kind = 'dispute_reversal'), 0)::bigint as returned,
             coalesce(sum(amount) filter (where kind = 'dispute_loss'), 0)::bigint as lost
        from ledger_transfers
       where kind in ('dispute', 'dispute_reversal', 'dispute_loss')
       group by account_id, livemode, source_id
    )
    select count(*) over () as total, coalesce(d.id, p.source_id) as id, d.status,
           coalesce(p.currency, d.currency) as currency, coalesce(p.taken, 0)::bigint as withdrawn,
           coalesce(p.returned, 0)::bigint as returned, coalesce(p.lost, 0)::bigint as lost
      from disputes d
      full join posted p on p.account_id = d.account_id and p.livemode = d.livemode and p.source_id = d.id
     where d.id is null
        or coalesce(p.taken, 0) <> case when d.is_inquiry then 0 else d.amount end
        or coalesce(p.returned, 0) <> case when d.status = 'won' and not d.is_inquiry then d.amount else 0 end
        or coalesce(p.lost, 0) <> case when d.status = 'lost' then d.amount else 0 end
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, status, currency, withdrawn, returned, lost }) =>
      `${dispute(id)} ${stateText(status)}, but the ledger has ${moneyText(withdrawn, currency)} withdrawn, ${moneyText(returned, currency)} returned and ${moneyText(lost, currency)} lost.`,
  );
}

/**
 * Finds disputes without an event for their opening, and closed disputes without exactly one event for their closing.
 * An inquiry that became a chargeback has two events for its opening.
 */
export async function findDisputesAnnouncedWrongly(
  read: Sql,
  options: CheckOptions,
): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    status: string | null;
    announced: string | null;
  }>`
    with announced as (
      select account_id, livemode, object_id,
             count(*) filter (where type = 'dispute.opened') as opened,
             count(*) filter (where type = 'dispute.closed') as closed,
             string_agg(type, ', ' order by id) as all
        from events
       where type in ('dispute.opened', 'dispute.closed')
       group by account_id, livemode, object_id
    )
    select count(*) over () as total, coalesce(d.id, a.object_id) as id,
           d.status, a.all as announced
      from disputes d
      full join announced a
        on a.account_id = d.account_id and a.livemode = d.livemode and a.object_id = d.id
     where (d.id is null or coalesce(a.opened, 0) not between 1 and 2
            or coalesce(a.closed, 0) <> (d.status in ('won', 'lost'))::integer)
       and ${isWithinEventRetention(fragment`coalesce(d.id, a.object_id)`, options)}
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, status, announced }) =>
      `${dispute(id)} ${stateText(status)}, but its events are: ${announced ?? "none"}.`,
  );
}

/** Finds disputes past their deadline, and merchants' responses that were not submitted. */
export async function findStuckDisputes(read: Sql, stuckAfterMs: number): Promise<Found> {
  const rows = await read<{ total: number; id: string; status: string; since: Date }>`
    select count(*) over () as total, id, status, least(due_at, response_due_at) as since
      from disputes
     where least(due_at, response_due_at) < now() - make_interval(secs => ${stuckAfterMs / 1000})
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, status, since }) =>
      `${dispute(id)} is ${status} and has been due since ${since.toISOString()}.`,
  );
}
