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
