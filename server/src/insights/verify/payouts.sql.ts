import { idFromUuid } from "../../core/ids.ts";
import { moneyText } from "../../core/money.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { describe, type Found, limitExamples, mergeFound, stateText } from "./check.ts";

const payout = (uuid: string): string => idFromUuid("po", uuid);

/**
 * Finds payouts for which the bank does not have exactly one transfer with the same amount, and transfers without a
 * payout.
 */
export async function findPayoutsUnlikeTheBank(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    amount: number | null;
    currency: string;
    status: string;
    bank_amount: number | null;
    bank_currency: string;
    has_failed: boolean;
  }>`
    select count(*) over () as total, coalesce(p.id, b.reference) as id, p.amount, p.currency, p.status,
           b.amount as bank_amount, b.currency as bank_currency, b.has_failed
      from (select * from payouts where not livemode) p
      full join simulator.payouts b on b.merchant = p.account_id and b.reference = p.id
     where p.id is null
        or (b.reference is null and p.status <> 'pending')
        or p.amount <> b.amount or p.currency <> b.currency
        or (p.status = 'failed' and not b.has_failed) or (p.status = 'paid' and b.has_failed)
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, amount, currency, status, bank_amount, bank_currency, has_failed }) => {
      const here = amount === null ? "missing" : `${moneyText(amount, currency)}, ${status}`;
      const atBank =
        bank_amount === null
          ? "missing"
          : `${moneyText(bank_amount, bank_currency)}${has_failed ? ", returned" : ""}`;
      return `${payout(id)} is ${here} in Florin, but ${atBank} at the bank.`;
    },
  );
}

/**
 * Finds stuck payouts, and payouts that are not posted correctly. A correct payout has one withdrawal, and one arrival
 * or return once it has ended.
 */
export async function findPayoutsNotPosted(read: Sql, stuckAfterMs: number): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    status: string | null;
    currency: string;
    withdrawn: number;
    arrived: number;
    returned: number;
  }>`
    with posted as (
      select account_id, livemode, source_id, min(currency) as currency,
             coalesce(sum(amount) filter (where kind = 'payout'), 0)::bigint as gone,
             coalesce(sum(amount) filter (where kind = 'payout_arrival'), 0)::bigint as arrived,
             coalesce(sum(amount) filter (where kind = 'payout_failure'), 0)::bigint as returned
        from ledger_transfers
       where kind in ('payout', 'payout_arrival', 'payout_failure')
       group by account_id, livemode, source_id
    )
    select count(*) over () as total, coalesce(p.id, t.source_id) as id, p.status,
           coalesce(t.currency, p.currency) as currency, coalesce(t.gone, 0)::bigint as withdrawn,
           coalesce(t.arrived, 0)::bigint as arrived, coalesce(t.returned, 0)::bigint as returned
      from payouts p
      full join posted t on t.account_id = p.account_id and t.livemode = p.livemode and t.source_id = p.id
     where p.id is null or t.gone is distinct from p.amount
        or t.arrived <> case when p.status = 'paid' then p.amount else 0 end
        or t.returned <> case when p.status = 'failed' then p.amount else 0 end
     ${limitExamples}
  `;
  const stuck = await read<{ total: number; id: string; since: Date }>`
    select count(*) over () as total, id, due_at as since
      from payouts
     where due_at < now() - make_interval(secs => ${stuckAfterMs / 1000})
     ${limitExamples}
  `;
  return mergeFound(
    describe(
      rows,
      ({ id, status, currency, withdrawn, arrived, returned }) =>
        `${payout(id)} ${stateText(status)}, but the ledger has ${moneyText(withdrawn, currency)} withdrawn, ${moneyText(arrived, currency)} arrived and ${moneyText(returned, currency)} returned.`,
    ),
    describe(
      stuck,
      ({ id, since }) => `${payout(id)} has been due for an inquiry since ${since.toISOString()}.`,
    ),
  );
}
