-- What an account pays and may move is an amount in each currency: the fixed part of its fee, the fee of a dispute, and the
-- smallest and largest charge and payout. A column per amount held one number for yen and dinars alike.

-- {"usd": {"fixedFee": 30, "largestCharge": 500000}}, in the smallest unit. What is absent is as in the service's table of
-- defaults (docs/reference/currencies.md).
alter table accounts add column amounts jsonb not null default '{}'
  constraint accounts_amounts_object check (jsonb_typeof(amounts) = 'object');

update accounts
   set amounts = coalesce((select jsonb_object_agg(currency, jsonb_build_object('largestCharge', amount))
                             from jsonb_each(largest_charges) as own (currency, amount)), '{}')
 where largest_charges <> '{}';
update accounts
   set amounts = jsonb_set(amounts, '{usd}', coalesce(amounts -> 'usd', '{}')
                 || jsonb_build_object('fixedFee', fee_fixed_minor, 'disputeFee', dispute_fee_minor))
 where (fee_fixed_minor, dispute_fee_minor) <> (30, 1500);

alter table accounts drop column fee_fixed_minor, drop column dispute_fee_minor, drop column largest_charges;

-- A day's automatic payout is split where it is larger than one payout may be.
alter table payouts add column part smallint not null default 1
  constraint payouts_part_counts_from_one check (part >= 1);
drop index payouts_once_a_day;
create unique index payouts_once_a_day on payouts (account_id, livemode, currency, day, part) where day is not null;
