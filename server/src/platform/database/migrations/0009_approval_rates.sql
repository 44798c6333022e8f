-- The payments that issuers approved or declined, by the hour in which they were created. Replaced whenever the payments
-- of the hour are counted (payment_hours).
create table approval_hours (
  account_id     uuid not null,
  livemode       boolean not null,
  -- Hours since 1970.
  hour           integer not null,
  -- Numbers the rows of the hour.
  place          integer not null,
  -- Null for test mode's simulator.
  assignment_id  uuid,
  network        text not null,
  -- The country of the issuer, if it is known.
  country        text,
  -- Null for approved payments.
  decline_code   text,
  payments       integer not null,
  constraint approval_hours_pkey primary key (account_id, livemode, hour, place)
);

-- The fees of captured payments in the settlement file of a day.
create table settlement_costs (
  account_id     uuid not null,
  livemode       boolean not null,
  day            date not null,
  -- Numbers the rows of the day.
  place          integer not null,
  assignment_id  uuid,
  network        text not null,
  country        text,
  currency       text not null,
  payments       integer not null,
  amount         bigint not null,
  fee            bigint not null,
  constraint settlement_costs_pkey primary key (account_id, livemode, day, place)
);
