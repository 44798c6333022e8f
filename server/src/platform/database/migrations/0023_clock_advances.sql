-- The advance of a test clock that is in progress. An advance moves the rows of a merchant's test mode in several transactions, so
-- that none takes long. The last one deletes this row.
create table clock_advances (
  account_id       uuid not null,
  id               uuid not null,
  seconds          integer not null,
  -- The idempotency key of the request, and the SHA-256 of its method, path and body. Both are null without a key.
  idempotency_key  text,
  fingerprint      bytea,
  -- Objects that were created later do not move.
  started_at       timestamptz not null,
  -- The number of tables whose rows have all moved, and the ID of the last row that has moved in the next table.
  moved_tables     integer not null default 0,
  moved_through    uuid not null default '00000000-0000-0000-0000-000000000000',
  -- When rows last moved. Another process continues an advance that has stopped.
  progressed_at    timestamptz not null,
  constraint clock_advances_pkey primary key (account_id),
  constraint clock_advances_account_exists foreign key (account_id) references accounts,
  constraint clock_advances_seconds_positive check (seconds > 0),
  constraint clock_advances_key_with_fingerprint check ((idempotency_key is null) = (fingerprint is null))
);
