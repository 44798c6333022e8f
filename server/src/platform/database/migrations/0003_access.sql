-- Who may do what for a merchant, and who did it.

-- A person's place in the team of an account; both modes share it.
create table members (
  account_id  uuid not null references accounts,
  id          uuid not null,
  person_id   uuid not null references people,
  role        text not null check (role in ('owner', 'admin', 'developer', 'support', 'analyst')),
  primary key (account_id, id),
  unique (account_id, person_id)
);
-- The accounts of a person, after they signed in.
create index members_by_person on members (person_id);

-- Who did what: only ever added to. An entry's hash is that of the hash before it and of its text, so nothing in
-- between can be changed, and the head tells when the end was cut off (`florin verify`). What is asked for is read from
-- the text that was hashed, so that the two cannot differ.
--
-- What concerns the whole service and no account is the chain of the account with no bits set.
create table audit_log (
  account_id  uuid not null,
  number      bigint not null check (number > 0),
  entry       text not null,
  hash        bytea not null check (length(hash) = 32),
  id          uuid not null generated always as ((entry::jsonb ->> 'id')::uuid) stored,
  livemode    boolean generated always as ((entry::jsonb ->> 'livemode')::boolean) stored,
  action      text not null generated always as (entry::jsonb ->> 'action') stored,
  actor_id    text generated always as (entry::jsonb ->> 'actor_id') stored,
  object_id   text generated always as (entry::jsonb ->> 'object_id') stored,
  primary key (account_id, number),
  unique (account_id, id)
);
create index audit_log_by_object on audit_log (account_id, object_id, id) where object_id is not null;
create index audit_log_by_actor on audit_log (account_id, actor_id, id) where actor_id is not null;

-- The end of each account's chain. Its row is the lock that makes entries one after another.
create table audit_heads (
  account_id  uuid primary key,
  number      bigint not null,
  hash        bytea not null
);

-- A place in a team that somebody was offered by mail.
create table invitations (
  account_id   uuid not null references accounts,
  id           uuid not null,
  email        text not null,
  role         text not null check (role in ('owner', 'admin', 'developer', 'support', 'analyst')),
  invited_by   uuid not null references people,
  -- SHA-256 of the 256 random bits in the link.
  token_hash   bytea not null unique,
  expires_at   timestamptz not null,
  accepted_at  timestamptz,
  revoked_at   timestamptz,
  primary key (account_id, id),
  check (accepted_at is null or revoked_at is null)
);
-- Whoever is invited again gets a new link, and the one before is good no more.
create unique index invitations_open on invitations (account_id, lower(email))
  where accepted_at is null and revoked_at is null;

-- The requests that were made, for their merchant to look up: 30 days of them.
create table request_log (
  account_id       uuid not null,
  livemode         boolean not null,
  id               uuid not null,
  method           text not null,
  path             text not null,
  query            text,
  endpoint         text not null,
  status           smallint not null,
  error_code       text,
  duration_ms      integer not null,
  actor_kind       text not null check (actor_kind in ('api_key', 'person')),
  actor_id         text not null,
  actor_name       text not null,
  ip               text not null,
  user_agent       text,
  idempotency_key  text,
  -- At most 4 KB, without card data and secrets.
  request_body     text,
  answer_body      text,
  -- What it was about: the object in its path, in its body and in its answer.
  object_ids       uuid[] not null,
  -- Requests that were too many to keep, since the one before.
  left_out         integer not null,
  primary key (account_id, livemode, id)
);
create index request_log_by_object on request_log using gin (object_ids);
create index request_log_failed on request_log (account_id, livemode, id) where status >= 400;
-- Finds what is older than a month; the rows come in order of time.
create index request_log_by_age on request_log using brin (id) with (pages_per_range = 32);
