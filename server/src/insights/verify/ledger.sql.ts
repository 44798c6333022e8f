import { idFromUuid } from "../../core/ids.ts";
import { moneyText } from "../../core/money.ts";
import { archivedHour, capturedHour, gain } from "../../payments/balance/checkpoint.sql.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { describe, type Found, limitExamples, mergeFound } from "./check.ts";

const charge = (uuid: string): string => idFromUuid("ch", uuid);
const entry = (uuid: string): string => idFromUuid("txn", uuid);

/** Finds merchants and currencies whose debits and credits differ. */
export async function findUnbalancedLedgers(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; account_id: string; currency: string; sum: number }>`
    with side as (
      select account_id, livemode, currency, debit as account, amount from ledger_transfers
      union all
      select account_id, livemode, currency, credit, -amount from ledger_transfers
    ),
    balance as (
      select account_id, livemode, currency, account, sum(amount) as amount
        from side
       where account is not null
       group by account_id, livemode, currency, account
    )
    select count(*) over () as total, account_id, currency, sum(amount)::bigint as sum
      from balance
     group by account_id, livemode, currency
    having sum(amount) <> 0
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ account_id, currency, sum }) =>
      `Debits and credits of ${idFromUuid("acct", account_id)} differ by ${moneyText(sum, currency)}.`,
  );
}

/** Finds entries whose lines have several currencies, a gap in their numbering from 1, or a non-positive amount. */
export async function findMalformedEntries(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; entry_id: string; lines: number; currencies: number }>`
    select count(*) over () as total, entry_id, count(*) as lines, count(distinct currency) as currencies
      from ledger_transfers
     group by account_id, livemode, entry_id
    having min(currency) <> max(currency) or min(line) <> 1 or max(line) <> count(*) or min(amount) <= 0
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ entry_id, lines, currencies }) =>
      `${entry(entry_id)} has ${lines} transfers in ${currencies} currencies, but a transfer is missing, is not positive or has another currency.`,
  );
}

/**
 * Finds transfers whose accounts differ from those of the posting rule for their kind
 * (payments/ledger/posting-rules.ts).
 */
export async function findTransfersBetweenWrongAccounts(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; entry_id: string; kind: string; sides: string }>`
    select count(*) over () as total, entry_id, kind, debit || ' to ' || credit as sides
      from ledger_transfers
     where (kind, debit, credit) not in (
             ('charge', 'acquirer_receivable', 'merchant_balance'),
             ('fee', 'merchant_balance', 'fee_income'),
             ('charge_failure', 'merchant_balance', 'acquirer_receivable'),
             ('fee_return', 'fee_income', 'merchant_balance'),
             ('refund', 'merchant_balance', 'acquirer_receivable'),
             ('refund_failure', 'acquirer_receivable', 'merchant_balance'),
             ('dispute', 'merchant_balance', 'dispute_reserve'),
             ('dispute_fee', 'merchant_balance', 'fee_income'),
             ('dispute_reversal', 'dispute_reserve', 'merchant_balance'),
             ('dispute_loss', 'dispute_reserve', 'acquirer_receivable'),
             ('payout', 'merchant_balance', 'payout_clearing'),
             ('payout_failure', 'payout_clearing', 'merchant_balance'),
             ('payout_arrival', 'payout_clearing', 'bank'),
             ('pending_debit', 'merchant_balance', 'settlement_clearing'),
             ('pending_credit', 'settlement_clearing', 'merchant_balance'),
             ('available_debit', 'merchant_balance', 'settlement_clearing'),
             ('available_credit', 'settlement_clearing', 'merchant_balance'),
             ('acquirer_fee', 'merchant_balance', 'acquirer_receivable'),
             ('acquirer_fee_return', 'acquirer_receivable', 'merchant_balance'),
             ('conversion_out', 'merchant_balance', 'acquirer_receivable'),
             ('conversion_in', 'acquirer_receivable', 'merchant_balance')
           )
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ entry_id, kind, sides }) => `${entry(entry_id)} has a ${kind} from ${sides}.`,
  );
}

/** Finds live acquirers' settlements with amounts that differ from their ledger entries or from their payout. */
export async function findSettlementsNotPosted(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    batch: string;
    currency: string;
    settlement: number;
    ledger: number;
  }>`
    with posted as (
      select account_id, livemode, source_id as id,
             sum(case kind when 'available_credit' then amount when 'available_debit' then -amount else 0 end) as settled,
             sum(case kind when 'pending_debit' then amount when 'pending_credit' then -amount else 0 end) as released,
             sum(case kind when 'acquirer_fee' then amount when 'acquirer_fee_return' then -amount else 0 end) as fees,
             sum(case kind when 'conversion_in' then amount when 'conversion_out' then -amount else 0 end) as converted
        from ledger_transfers
       where kind in ('pending_debit', 'pending_credit', 'available_debit', 'available_credit', 'acquirer_fee',
                      'acquirer_fee_return', 'conversion_in', 'conversion_out')
         -- Entries of failed captures are left out, because findPaymentsNotPosted compares them.
         and entry_id not in (select failure_entry_id from charges where failure_entry_id is not null)
       group by 1, 2, 3
    )
    select count(*) over () as total, coalesce(s.id, t.id) as id, coalesce(s.batch, 'unknown') as batch,
           coalesce(s.currency, 'usd') as currency,
           (coalesce(s.settled, 0) - coalesce(s.fees, 0) + coalesce(s.converted, 0))::bigint as settlement,
           (coalesce(t.settled, 0) - coalesce(t.fees, 0) + coalesce(t.converted, 0))::bigint as ledger
      from settlements s
      full join posted t on t.account_id = s.account_id and t.livemode = s.livemode and t.id = s.id
      left join payouts p on p.account_id = s.account_id and p.livemode = s.livemode and p.id = s.id
     where s.id is null or s.settled <> coalesce(t.settled, 0) or s.settled <> coalesce(t.released, 0)
        or s.fees <> coalesce(t.fees, 0) or s.converted <> coalesce(t.converted, 0) or s.paid <> coalesce(p.amount, 0)
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, batch, currency, settlement, ledger }) =>
      `${idFromUuid("stl", id)} of batch ${batch} is ${moneyText(settlement, currency)}, but the ledger has ${moneyText(ledger, currency)}, or its payout differs.`,
  );
}

/**
 * Finds succeeded payments that are not posted exactly once with the captured amount and a fee that is at most this
 * amount. Also finds payments whose capture failed later and that do not have exactly one entry with the opposite
 * amounts.
 */
export async function findPaymentsNotPosted(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    captured: number;
    currency: string;
    posted: number | null;
    posted_currency: string;
  }>`
    with posted as (
      select account_id, livemode, entry_id, min(currency) as currency,
             sum(amount) filter (where kind = 'charge') as charge,
             coalesce(sum(amount) filter (where kind = 'fee'), 0) as fee,
             count(*) filter (where kind = 'charge') as charges,
             count(*) filter (where kind = 'fee') as fees,
             bool_and(source_id = entry_id) as own
        from ledger_transfers
       where kind in ('charge', 'fee')
       group by account_id, livemode, entry_id
    )
    select count(*) over () as total, c.id, c.amount_captured as captured, c.currency,
           p.charge::bigint as posted, p.currency as posted_currency
      from charges c
      left join posted p on p.account_id = c.account_id and p.livemode = c.livemode and p.entry_id = c.id
     where c.status = 'succeeded'
       and (p.entry_id is null or p.charge is distinct from c.amount_captured or p.currency <> c.currency
            or p.charges <> 1 or p.fees > 1 or p.fee > c.amount_captured or not p.own)
     ${limitExamples}
  `;
  const returned = await read<{ total: number; id: string }>`
    with posted as (
      select account_id, livemode, source_id as id, min(currency) as currency,
             coalesce(sum(amount) filter (where kind = 'charge' and entry_id = source_id), 0) as charge,
             coalesce(sum(amount) filter (where kind = 'fee' and entry_id = source_id), 0) as fee,
             count(distinct entry_id) filter (where kind = 'charge_failure') as failures,
             min(entry_id::text) filter (where kind = 'charge_failure') as entry_id,
             coalesce(sum(amount) filter (where kind = 'charge_failure'), 0) as charge_failure,
             coalesce(sum(amount) filter (where kind = 'fee_return'), 0) as fee_return,
             coalesce(sum(amount) filter (where kind = 'pending_debit'), 0) as released,
             coalesce(sum(amount) filter (where kind = 'available_credit'), 0) as available
        from ledger_transfers
       where (account_id, livemode, source_id) in (
               select account_id, livemode, source_id from ledger_transfers where kind in ('charge_failure', 'fee_return')
                union
               select account_id, livemode, id from charges where failure_entry_id is not null
             )
       group by account_id, livemode, source_id
    )
    select count(*) over () as total, coalesce(c.id, p.id) as id
      from (select * from charges where failure_entry_id is not null) c
      full join posted p on p.account_id = c.account_id and p.livemode = c.livemode and p.id = c.id
     where c.id is null or p.id is null or p.failures <> 1 or p.entry_id is distinct from c.failure_entry_id::text
        or p.currency <> c.currency or p.charge = 0
        or p.charge_failure <> p.charge or p.fee_return <> p.fee
        or p.released <> p.available or p.released not in (0, p.charge - p.fee)
     ${limitExamples}
  `;
  return mergeFound(
    describe(rows, ({ id, captured, currency, posted, posted_currency }) =>
      posted === null
        ? `${charge(id)} succeeded with ${moneyText(captured, currency)}, but has no ledger entry.`
        : `${charge(id)} succeeded with ${moneyText(captured, currency)}, but the ledger has ${moneyText(posted, posted_currency)}.`,
    ),
    describe(
      returned,
      ({ id }) =>
        `${charge(id)} and the ledger differ on the failure of its capture, or on its amounts.`,
    ),
  );
}

/** Finds postings for payments that never succeeded. */
export async function findPostingsWithoutPayment(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; id: string; status: string | null }>`
    select count(*) over () as total, t.entry_id as id, c.status
      from ledger_transfers t
      left join charges c on c.account_id = t.account_id and c.livemode = t.livemode and c.id = t.entry_id
     where t.kind in ('charge', 'fee') and c.status is distinct from 'succeeded' and c.failure_entry_id is null
     ${limitExamples}
  `;
  return describe(rows, ({ id, status }) =>
    status === null
      ? `${entry(id)} refers to the payment ${charge(id)}, which does not exist.`
      : `${charge(id)} is ${status}, but has a ledger entry.`,
  );
}

/**
 * Finds charges that violate `refunded + disputed ≤ captured ≤ amount`, and charges that are succeeded but not captured
 * or captured but not succeeded.
 */
export async function findImpossibleAmounts(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    currency: string;
    amount: number;
    captured: number;
    refunded: number;
    disputed: number;
  }>`
    select count(*) over () as total, id, currency, amount, amount_captured as captured,
           amount_refunded as refunded, amount_disputed as disputed
      from charges
     where not (amount_refunded >= 0 and amount_disputed >= 0
                and amount_refunded + amount_disputed <= amount_captured and amount_captured <= amount)
        or (amount_captured > 0) <> (status = 'succeeded')
     ${limitExamples}
  `;
  return describe(rows, ({ id, currency, amount, captured, refunded, disputed }) => {
    const text = (minor: number) => moneyText(minor, currency);
    return `${charge(id)} has impossible amounts: ${text(amount)}, captured ${text(captured)}, refunded ${text(refunded)}, disputed ${text(disputed)}.`;
  });
}

/** Finds balances whose checkpoints differ from the sum of the ledger, in total or in any hour. */
export async function findCheckpointsUnlikeTheLedger(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    account_id: string;
    currency: string;
    checkpoint: number;
    ledger: number;
  }>`
    with each as (
      select n.account_id, n.livemode, n.currency, ${capturedHour} as captured_hour, ${gain} as amount
        from ledger_transfers n
        left join charges c on c.account_id = n.account_id and c.livemode = n.livemode and c.id = n.entry_id
       where n.position <= (select position from balance_checkpoint_progress)
      union all
      select n.account_id, n.livemode, n.currency, ${archivedHour}, ${gain}
        from archived_transfers n
    ),
    posted as (
      select account_id, livemode, currency, captured_hour, sum(amount) as amount
        from each
       group by 1, 2, 3, 4
    )
    select count(*) over () as total, account_id, currency, coalesce(sum(s.amount), 0)::bigint as checkpoint,
           coalesce(sum(b.amount), 0)::bigint as ledger
      from posted b
      full join balance_checkpoints s using (account_id, livemode, currency, captured_hour)
     group by account_id, livemode, currency
    having coalesce(sum(s.amount), 0) <> coalesce(sum(b.amount), 0)
        -- The checkpoint of an hour holds the sum of that hour. The oldest checkpoint holds the sum of all earlier
        -- hours.
        or bool_or(s.amount is not null and captured_hour > '-infinity' and s.amount is distinct from b.amount)
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ account_id, currency, checkpoint, ledger }) =>
      `${idFromUuid("acct", account_id)} has a balance checkpoint of ${moneyText(checkpoint, currency)}, but its ledger sums to ${moneyText(ledger, currency)}.`,
  );
}

/** Finds balances that differ from the merchant's payments less fees, refunds, disputes and payouts. */
export async function findBalancesUnlikeTheirObjects(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    account_id: string;
    currency: string;
    ledger: number;
    objects: number;
  }>`
    with moved as (
      select account_id, livemode, currency, amount_captured as amount from charges where status = 'succeeded'
      union all
      select account_id, livemode, currency, -amount from operations where kind = 'refund' and status = 'succeeded'
      union all
      select account_id, livemode, currency, -amount from disputes where not is_inquiry and status <> 'won'
      union all
      select account_id, livemode, currency, -amount from payouts where status <> 'failed'
      union all
      select account_id, livemode, currency, converted - fees from settlements
      union all
      select account_id, livemode, currency, case kind when 'fee_return' then amount else -amount end
        from ledger_transfers
       where kind in ('fee', 'fee_return', 'dispute_fee')
    ),
    objects as (
      select account_id, livemode, currency, sum(amount) as amount from moved group by 1, 2, 3
    ),
    ledger as (
      select account_id, livemode, currency,
             sum(case when credit = 'merchant_balance' then amount when debit = 'merchant_balance' then -amount else 0 end) as amount
        from ledger_transfers
       group by 1, 2, 3
    )
    select count(*) over () as total, account_id, currency, coalesce(b.amount, 0)::bigint as ledger,
           coalesce(o.amount, 0)::bigint as objects
      from ledger b
      full join objects o using (account_id, livemode, currency)
     where coalesce(b.amount, 0) <> coalesce(o.amount, 0)
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ account_id, currency, ledger, objects }) =>
      `The ledger balance of ${idFromUuid("acct", account_id)} is ${moneyText(ledger, currency)}, but its objects sum to ${moneyText(objects, currency)}.`,
  );
}
