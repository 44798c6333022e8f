-- What charges are found by, written behind by a job: one row for each block of charges that follow one another, with
-- the words that any of them has (docs/decisions/0022-payments-are-found-by-blocks.md). Charges themselves have no index
-- for it, for each would cost every charge.
create table charge_search (
  account_id  uuid not null,
  livemode    boolean not null,
  first_id    uuid not null,
  last_id     uuid not null,
  -- Nil: the block as it was made. Else words that this charge of it has got since.
  amends      uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Hashes of the words with the account and the mode: no address can be read from them, and the index below needs no
  -- column for whose they are.
  words       bigint[] not null,
  primary key (account_id, livemode, first_id, amends),
  check (first_id <= last_id)
);
create index charge_search_words on charge_search using gin (words);

create table charge_search_progress (
  account_id   uuid not null,
  livemode     boolean not null,
  -- The last charge that is entered; newer ones are looked through.
  searched_to  uuid not null,
  primary key (account_id, livemode)
);

-- Filters of a list under a name, for everybody in the team.
create table saved_views (
  account_id  uuid not null references accounts,
  livemode    boolean not null,
  id          uuid not null,
  list        text not null check (list in ('charges')),
  name        text not null,
  query       text not null,
  primary key (account_id, livemode, id)
);

-- How payments went, counted once an hour is over: what a chart of months reads in place of the payments.
create table payment_hours (
  account_id     uuid not null,
  livemode       boolean not null,
  -- Hours since 1970, in which the payments were begun.
  hour           integer not null,
  currency       text not null,
  payments       integer not null,
  succeeded      integer not null,
  failed         integer not null,
  captured       bigint not null,
  declines       jsonb not null,
  -- How many answers came within each step of latency.
  latencies      integer[] not null,
  -- While some of them are open: when the hour is counted anew.
  look_again_at  timestamptz,
  primary key (account_id, livemode, hour, currency)
);
create index payment_hours_to_look_at on payment_hours (look_again_at) where look_again_at is not null;

create table payment_hours_progress (
  account_id   uuid not null,
  livemode     boolean not null,
  -- The first hour that is not counted.
  measured_to  integer not null,
  primary key (account_id, livemode)
);
