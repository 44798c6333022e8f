-- What merchants are owed, summed up so that nobody has to add up a ledger of years (docs/decisions/0018).

-- Up to which position of the ledger everything is in the sums: one row.
create table balance_sealing (
  only_one  boolean primary key default true check (only_one),
  through   bigint not null
);
insert into balance_sealing (through) values (0);

create table balance_seals (
  account_id  uuid not null,
  livemode    boolean not null,
  currency    text not null,
  -- The hour in which payments were taken, from which their settlement is counted; -infinity for all else, and for
  -- payments that are settled for good.
  taken_at    timestamptz not null,
  amount      bigint not null,
  primary key (account_id, livemode, currency, taken_at)
);

-- The daily comparison of our books with what the acquirer says it settled (docs/operating/reconciliation.md).

-- A settlement file as it came in. Its lines are written in pieces, and count when the whole is there.
create table settlement_files (
  account_id  uuid not null references accounts,
  livemode    boolean not null,
  id          uuid not null,
  day         date not null,
  processor   text not null,
  state       text not null check (state in ('receiving', 'received')),
  -- Everything that was booked before is in it.
  until       timestamptz,
  -- What the acquirer's own totals say that its lines do not; null when they agree.
  mismatch    text,
  primary key (account_id, livemode, id),
  check ((state = 'received') = (until is not null))
);
-- An acquirer may send a better one; then that one counts.
create unique index settlement_files_of_a_day on settlement_files (account_id, livemode, day)
  where state = 'received';

create table settlement_lines (
  account_id  uuid not null,
  livemode    boolean not null,
  file_id     uuid not null,
  line        integer not null,
  type        text not null check (type in
              ('capture', 'capture_reversal', 'refund', 'refund_return', 'chargeback', 'chargeback_return')),
  -- What of ours it is about, and by which uuid that is found: a dispute by the network's case.
  noun        text not null check (noun in ('charge', 'refund', 'dispute')),
  subject     uuid not null,
  reference   text not null,
  booked_at   timestamptz not null,
  currency    text not null,
  amount      bigint not null,
  fee         bigint not null,
  primary key (account_id, livemode, file_id, line)
);
create index settlement_lines_by_subject on settlement_lines (account_id, livemode, noun, subject);

create table reconciliations (
  account_id      uuid not null references accounts,
  livemode        boolean not null,
  id              uuid not null,
  day             date not null,
  status          text not null check (status in
                  ('balanced', 'in_transit', 'differences', 'file_missing', 'file_unreadable')),
  processor       text not null,
  checked_at      timestamptz not null,
  complete_until  timestamptz,
  failure_message text,
  open_count      integer not null default 0,
  in_transit_count integer not null default 0,
  -- What the file comes to, by currency.
  settled         jsonb not null default '[]',
  primary key (account_id, livemode, id),
  unique (account_id, livemode, day),
  check ((status in ('file_missing', 'file_unreadable')) = (failure_message is not null))
);

create table reconciliation_differences (
  account_id  uuid not null,
  livemode    boolean not null,
  id          uuid not null,
  found_by    uuid not null,
  closed_by   uuid,
  status      text not null check (status in ('in_transit', 'open', 'closed')),
  kind        text not null check (kind in
              ('missing_at_acquirer', 'missing_here', 'amount_differs', 'currency_differs', 'state_differs',
               'duplicate_line', 'ledger_missing', 'ledger_differs', 'ledger_unexplained', 'event_missing',
               'totals_differ')),
  noun        text not null check (noun in ('charge', 'refund', 'dispute', 'file')),
  subject     uuid not null,
  reference   text not null,
  -- What each side says: {state, amount, currency}; null where it says nothing.
  payment     jsonb,
  acquirer    jsonb,
  ledger      jsonb,
  primary key (account_id, livemode, id),
  check ((status = 'closed') = (closed_by is not null))
);
-- A difference is told once, for as long as it lasts.
create unique index differences_once on reconciliation_differences (account_id, livemode, noun, subject, kind)
  where status <> 'closed';
