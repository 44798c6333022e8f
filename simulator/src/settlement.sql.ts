import type { SettlementLine, SettlementType } from "@florin/server/acquiring/settlement-file.ts";
import { type AccountId, firstUuidAt, idFromUuid, uuidOf } from "@florin/server/core/ids.ts";
import type { Sql } from "@florin/server/platform/database/sql.ts";

/**
 * The longest time from the start of a payment to its posting. A hold lasts a week and inquiries run for three days.
 */
const maxTransitMs = 40 * 24 * 60 * 60 * 1000;

/**
 * Lists the lines posted for a merchant from `from` until `until`, in order of time. Omits a capture that was reversed
 * on its own day, because it is in no settlement.
 */
export async function listPosted(
  read: Sql,
  account: AccountId,
  from: Date,
  until: Date,
): Promise<SettlementLine[]> {
  const merchant = uuidOf(account);
  const begunFrom = firstUuidAt(new Date(from.getTime() - maxTransitMs));
  const rows = await read<Row>`
    with capture as (
      select a.reference, a.currency, coalesce(o.amount, a.approved) as amount,
             case when a.state = 'pending' and a.pending_outcome = 'approved' and a.captured then a.resolves_at
                  else a.captured_at end as captured_at,
             a.reversed_at
        from simulator.authorizations a
        left join simulator.operations o
          on o.merchant = a.merchant and o.authorization_reference = a.reference
         and o.kind = 'capture' and o.state = 'done'
       where a.merchant = ${merchant} and a.reference >= ${begunFrom}
    ),
    operation as (
      select reference, authorization_reference, currency, amount, completed_at, returned_at
        from simulator.operations
       where merchant = ${merchant} and kind = 'refund' and reference >= ${begunFrom}
    ),
    dispute as (
      select c.id, c.reference, a.currency, c.chargeback_amount, c.chargeback_at, c.reversed_at
        from simulator.cases c
        join simulator.authorizations a on a.merchant = c.merchant and a.reference = c.reference
       where c.merchant = ${merchant} and c.chargeback_amount > 0
    ),
    posted as (
      select 'capture' as type, reference, reference as charge, captured_at as posted_at, currency, amount
        from capture
       where not coalesce(reversed_at < ${until} and captured_at >= ${from}, false)
       union all
      select 'capture_reversal', reference, reference, reversed_at, currency, -amount
        from capture
       where captured_at < ${from}
       union all
      select 'refund', reference, authorization_reference, completed_at, currency, -amount from operation
       union all
      select 'refund_return', reference, authorization_reference, returned_at, currency, amount from operation
       union all
      select 'chargeback', id, reference, chargeback_at, currency, -chargeback_amount from dispute
       union all
      select 'chargeback_return', id, reference, reversed_at, currency, chargeback_amount from dispute
    )
    select type, reference, charge, posted_at, currency, amount
      from posted
     where posted_at >= ${from} and posted_at < ${until}
     order by posted_at, reference, type
  `;
  return rows.map(toLine);
}

type Row = {
  type: SettlementType;
  reference: string;
  charge: string;
  posted_at: Date;
  currency: string;
  amount: number;
};

/** The id prefix for each type in our references. Null: a dispute has the network's own case number. */
const prefixes: Readonly<Record<SettlementType, string | null>> = {
  capture: "ch",
  capture_reversal: "ch",
  refund: "op",
  refund_return: "op",
  chargeback: null,
  chargeback_return: null,
};

function toLine(row: Row): SettlementLine {
  const prefix = prefixes[row.type];
  return {
    type: row.type,
    reference: prefix === null ? row.reference : idFromUuid(prefix, row.reference),
    charge: idFromUuid("ch", row.charge),
    postedAt: row.posted_at,
    currency: row.currency,
    amountMinor: row.amount,
    feeMinor: feeOf(row),
  };
}

/** The simulated acquirer charges one percent of a capture. */
function feeOf({ type, amount }: Row): number {
  return type === "capture" ? Math.round(amount / 100) : 0;
}
