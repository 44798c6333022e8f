-- People, who sign in to the dashboard, and how they prove who they are. They are of no account: members say who works for
-- which merchant. Of every secret here there is only a hash, or a seal of the key provider.

create table people (
  id             uuid primary key,
  email          text not null,
  name           text not null,
  -- argon2id, as a PHC string.
  password_hash  text not null,
  -- Whether this person runs the service, and not only a merchant's part of it.
  operator       boolean not null default false
);
-- Nobody remembers how they capitalised their address.
create unique index people_by_email on people (lower(email));

create table sessions (
  id              uuid primary key,
  person_id       uuid not null references people on delete cascade,
  -- SHA-256 of the 256 random bits in the cookie. They change with every change of what the session may do.
  token_hash      bytea not null unique,
  -- The token before that, for requests which were under way when it changed.
  previous_hash   bytea,
  previous_until  timestamptz,
  -- Whether it was opened, or later confirmed, with a second factor.
  second_factor   boolean not null,
  -- When the person last proved who they are: dangerous acts want it to be recent.
  proved_at       timestamptz not null,
  last_seen_at    timestamptz not null,
  ip              text not null,
  user_agent      text not null,
  check ((previous_hash is null) = (previous_until is null))
);
create index sessions_by_person on sessions (person_id);
create index sessions_by_previous on sessions (previous_hash) where previous_hash is not null;

-- Codes of an authenticator app (RFC 6238).
create table totp_secrets (
  person_id     uuid primary key references people on delete cascade,
  secret        bytea not null,
  -- Null until a first code showed that the app has it.
  confirmed_at  timestamptz,
  -- The time step of the last code that was taken, so that none is taken twice.
  last_step     bigint not null default 0
);

create table recovery_codes (
  person_id  uuid not null references people on delete cascade,
  -- Keyed, for a code is short enough to be found by trying.
  hash       bytea not null,
  used_at    timestamptz,
  primary key (person_id, hash)
);

create table passkeys (
  credential_id  bytea primary key,
  person_id      uuid not null references people on delete cascade,
  name           text not null,
  public_key     bytea not null,
  -- Grows with each use where the device counts at all; one that falls behind was copied.
  counter        bigint not null,
  transports     text[] not null,
  created_at     timestamptz not null,
  last_used_at   timestamptz
);
create index passkeys_by_person on passkeys (person_id);

-- What a browser was asked to sign. Each is good for one answer.
create table passkey_challenges (
  challenge   text primary key,
  -- Null before anybody is known: a passkey also says whose it is.
  person_id   uuid references people on delete cascade,
  purpose     text not null check (purpose in ('sign_in', 'register', 'prove')),
  expires_at  timestamptz not null
);

-- Links that let in whoever has them, once.
create table links (
  -- SHA-256 of the 256 random bits in the link.
  hash        bytea primary key,
  purpose     text not null check (purpose in ('sign_up', 'reset_password', 'set_up_operator')),
  person_id   uuid references people on delete cascade,
  -- The address it was mailed to. Whoever follows it reads that address's mail.
  email       text,
  expires_at  timestamptz not null,
  check ((purpose = 'sign_up') = (person_id is null and email is not null) or purpose = 'set_up_operator'),
  check ((purpose = 'reset_password') = (person_id is not null))
);
create index links_by_person on links (person_id) where person_id is not null;

-- How often somebody tried to get in, for each address of mail and of the network, and when the next try is looked at.
create table sign_in_attempts (
  subject   text primary key,
  -- They fade with time, and so are not whole.
  failures  double precision not null,
  last_at   timestamptz not null,
  next_at   timestamptz not null
);

-- Mail that is to be sent, written with what it tells of.
create table mails (
  id          uuid primary key,
  recipient   text not null,
  subject     text not null,
  -- Null once it was sent or given up: it may hold a link that lets somebody in.
  body        text,
  attempts    smallint not null default 0,
  -- When somebody has to send it, or to try again; null when there is nothing more to do.
  due_at      timestamptz,
  sent_at     timestamptz,
  last_error  text,
  check ((due_at is null) = (body is null)),
  check (sent_at is null or due_at is null)
);
create index mails_due on mails (due_at) where due_at is not null;
