-- How a merchant gets live mode (spec §5.3), and what the operator of the service keeps.

-- One for each account, and its id has the account's letters. What it says is of live mode alone, so no mode is named.
create table applications (
  account_id     uuid primary key references accounts,
  status         text not null check (status in
                 ('draft', 'submitted', 'in_review', 'more_information_needed', 'approved', 'rejected')),
  -- Grows with each change; who changes it says which one they have seen.
  version        integer not null,
  -- What the operator wants to know beside what was told: [{section, message}].
  asked          jsonb not null default '[]',
  submitted_at   timestamptz,
  decided_at     timestamptz,
  -- The operator's words on a refusal, for the merchant.
  decision_note  text,
  check ((status = 'draft') = (submitted_at is null)),
  check ((status in ('approved', 'rejected')) = (decided_at is not null)),
  check ((status = 'rejected') = (decision_note is not null)),
  check ((status = 'more_information_needed') = (asked <> '[]'))
);
-- The operator's queue, oldest first.
create index applications_to_review on applications (submitted_at)
  where status in ('submitted', 'in_review', 'more_information_needed');

-- What a merchant tells, sealed whole by the key provider: names, dates of birth and account numbers lie in here.
create table application_sections (
  account_id  uuid not null references applications,
  section     text not null check (section in ('business', 'people', 'bank_account', 'products', 'website')),
  sealed      bytea not null,
  saved_at    timestamptz not null,
  primary key (account_id, section)
);

create table application_documents (
  account_id  uuid not null references applications,
  id          uuid not null,
  kind        text not null,
  file_name   text not null,
  media_type  text not null check (media_type in ('application/pdf', 'image/png', 'image/jpeg')),
  size        integer not null check (size between 1 and 5242880),
  -- Sealed as well; apart from the rest of the row for Postgres keeps what is long aside.
  sealed      bytea not null,
  primary key (account_id, id)
);

-- What happened to an application and to its account, and what operators noted. Notes are theirs alone.
create table application_history (
  account_id  uuid not null references accounts,
  id          uuid not null,
  -- The move; null: a note.
  move        text,
  -- The person; the merchant's people are in here as well.
  person_id   uuid not null,
  text        text,
  primary key (account_id, id),
  check (move is not null or text is not null)
);

-- What the operator has looked at, item by item.
create table application_checks (
  account_id  uuid not null references accounts,
  item        text not null,
  person_id   uuid not null,
  checked_at  timestamptz not null,
  primary key (account_id, item)
);

-- `florin verify`, asked for by an operator: it may take minutes, so it is run by a job and its report is kept.
create table checker_runs (
  id            uuid primary key,
  asked_by      uuid not null,
  -- Until when a server works on it; another may begin anew after that.
  leased_until  timestamptz,
  ended_at      timestamptz,
  report        jsonb,
  error         text,
  check ((ended_at is null) = (report is null and error is null))
);
create index checker_runs_open on checker_runs (id) where ended_at is null;
