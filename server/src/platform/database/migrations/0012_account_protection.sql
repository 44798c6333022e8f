-- Settings by mode, durable mail limits, and sessions with one token.

-- A merchant's own settings. Each mode has its own row, so that a test key cannot change live mode.
create table account_settings (
  account_id       uuid not null constraint account_settings_account references accounts,
  livemode         boolean not null,
  payout_schedule  text not null default 'manual'
                   constraint account_settings_payout_schedule check (payout_schedule in ('manual', 'daily')),
  -- Origins that may frame the card form of any session of this account and mode.
  allowed_origins  text[] not null default '{}',
  -- The number of changes, which is part of the version of the account object in this mode.
  changes          integer not null default 0,
  constraint account_settings_pkey primary key (account_id, livemode)
);
insert into account_settings (account_id, livemode, payout_schedule, allowed_origins)
select a.id, m.livemode, a.payout_schedule, a.allowed_origins
  from accounts a
 cross join (values (false), (true)) as m (livemode);
-- The accounts that the daily schedule pays out.
create index account_settings_daily on account_settings (account_id, livemode) where payout_schedule = 'daily';

alter table accounts drop column payout_schedule, drop column allowed_origins;

-- The person who requested a capture, void or refund; null for a key and for the service itself.
alter table operations add column requested_by uuid;
-- Sums what a person has refunded in the last hours.
create index operations_refunds_by_person on operations (account_id, livemode, requested_by, id)
  where kind = 'refund' and requested_by is not null;

-- Mail that was queued on a day (UTC), for each limit that counts it: by recipient, hashed, and by account.
create table mail_counts (
  subject  text not null,
  day      date not null,
  count    integer not null constraint mail_counts_positive check (count > 0),
  constraint mail_counts_pkey primary key (subject, day)
);

-- A session has one token: the one before it is worth nothing from the moment it is replaced.
alter table sessions drop column previous_hash, drop column previous_until;
