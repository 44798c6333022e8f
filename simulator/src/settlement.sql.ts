import type { SettlementLine, SettlementType } from "@florin/server/acquiring/settlement-file.ts";
import { type AccountId, firstUuidAt, idFromUuid, uuidOf } from "@florin/server/core/ids.ts";
import type { Sql } from "@florin/server/platform/database/sql.ts";

/**
 * The maximum time from the creation of a payment to the posting of its lines. An authorization is valid for a week,
 * and inquiries are sent for three days.
 */
const maxTransitMs = 40 * 24 * 60 * 60 * 1000;

/**
 * Lists the merchant's lines that were posted from `from` until `until`, oldest first. Omits a capture that was
 * reversed on the same day, because it is not settled.
 */
export async function listPosted(
  read: Sql,
  account: AccountId,
  from: Date,
  until: Date,
): Promise<SettlementLine[]> {
  const merchant = uuidOf(account);
  const startedFrom = firstUuidAt(new Date(from.getTime() - maxTransitMs));
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
       where a.merchant = ${merchant} and a.reference >= ${startedFrom}
    ),
    operation as (
      select reference, authorization_reference, currency, amount, completed_at, returned_at
        from simulator.operations
       where merchant = ${merchant} and kind = 'refund' and reference >= ${startedFrom}
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

/** The prefix of the ID in each line. Null for disputes, whose ID is the card network's case number. */
const prefixes: Readonly<Record<SettlementType, string | null>> = {
  capture: "ch",
  capture_reversal: "ch",
  refund: "op",
  refund_return: "op",
  chargeback: null,
  chargeback_return: null,
  second_chargeback: null,
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

/** Returns the simulated acquirer's fee, which is one percent of a capture. */
function feeOf({ type, amount }: Row): number {
  return type === "capture" ? Math.round(amount / 100) : 0;
}
