-- The schema of the service.
--
-- Merchant data is keyed by (account_id, livemode, id). Test mode and live mode share only the account. The tables can be
-- sharded by account.
--
-- Ids are UUIDv7, so primary keys sort by creation time, and the creation time is read from the id. States are text with a
-- CHECK that lists the same values as the TypeScript union. Each constraint is named after its rule.
--
-- The tables that a charge writes have no foreign keys to each other, because each foreign key would fire a trigger per row on
-- the hot path. `florin verify` checks these references instead (docs/decisions/0003-group-commit.md).

-- Returns the creation time of an object: the first 48 bits of a UUIDv7 are milliseconds (RFC 9562).
create function created_at(id uuid) returns timestamptz
  language sql immutable strict parallel safe
  return to_timestamp(('x0000' || replace(left(id::text, 13), '-', ''))::bit(64)::bigint / 1000.0);

-- Domains of the columns that a charge writes. Postgres parses a domain's CHECK once per connection, and a table's CHECK once
-- per statement. The rules of single columns are therefore domains here, which saves a tenth of a charge's cost
-- (docs/decisions/0050-single-column-rules-of-charges-are-domains.md).
create domain positive_amount as bigint constraint positive_amount_positive check (value > 0);
create domain capture_method as text constraint capture_method_known check (value in ('automatic', 'manual'));
create domain client_reference_id as text constraint client_reference_id_length check (length(value) <= 200);
create domain risk_score as smallint constraint risk_score_range check (value between 0 and 100);
create domain decision_outcome as text constraint decision_outcome_known
  check (value in ('approve', 'challenge', 'review', 'decline'));
create domain review_outcome as text constraint review_outcome_known check (value in ('approved', 'declined'));
create domain charge_status as text constraint charge_status_known
  check (value in ('processing', 'requires_action', 'authorized', 'succeeded', 'failed', 'canceled'));
create domain pending_reason as text constraint pending_reason_known
  check (value in ('acquirer_processing', 'outcome_unknown', 'manual_review'));
create domain session_status as text constraint session_status_known
  check (value in ('open', 'processing', 'requires_action', 'complete', 'expired', 'canceled', 'failed'));
create domain session_payment_status as text constraint session_payment_status_known
  check (value in ('unpaid', 'authorized', 'paid'));
create domain delivery_status as text constraint delivery_status_known
  check (value in ('pending', 'succeeded', 'given_up'));
create domain transfer_kind as text constraint transfer_kind_known check (value in
  ('charge', 'fee', 'charge_failure', 'fee_return', 'refund', 'refund_failure', 'dispute', 'dispute_fee', 'dispute_reversal',
   'dispute_loss', 'payout', 'payout_failure', 'payout_arrival', 'pending_debit', 'pending_credit',
   'available_debit', 'available_credit', 'acquirer_fee', 'acquirer_fee_return', 'conversion_out', 'conversion_in'));

-- Partitions by week. Ids contain the time, so the partitions of a table are ranges of ids, and an old week is dropped as a
-- whole. A job creates the next weeks (docs/decisions/0051-old-weeks-are-dropped.md). The default partition takes the rows of a
-- week that has no partition, so that no insert fails.

-- Creates the partition of `parent` for the ids from `first` to `next`, unless it exists. The partition gets the storage
-- parameters of the default partition, because a partitioned table has none. Attaching a table scans the default partition and
-- blocks all statements that use it during the scan, unless a valid constraint of the default partition excludes the range.
-- Fails with check_violation if the default partition has rows in the range.
create function create_partition(parent text, name text, first uuid, next uuid) returns boolean language plpgsql as $$
declare
  parameters text := (select array_to_string(reloptions, ', ') from pg_class where oid = (parent || '_default')::regclass);
begin
  if to_regclass(quote_ident(name)) is not null then
    return false;
  end if;
  execute format('create table %I (like %I including all)', name, parent);
  if parameters <> '' then
    execute format('alter table %I set (%s)', name, parameters);
  end if;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, first, next);
  return true;
end $$;

-- Adds a constraint that excludes a range of ids from the default partition of `parent`. The constraint has the name of the
-- partition. It is not valid yet, so that no lock is held while the rows are read.
create function exclude_from_default(parent text, name text, first uuid, next uuid) returns void language plpgsql as $$
begin
  execute format('alter table %I add constraint %I check (id < %L::uuid or id >= %L::uuid) not valid',
    parent || '_default', name, first, next);
end $$;

create function include_in_default(parent text, name text) returns void language plpgsql as $$
begin
  execute format('alter table %I drop constraint if exists %I', parent || '_default', name);
end $$;

-- Reads the rows of the default partition without blocking other statements. Fails with check_violation if one is in the range.
create function validate_exclusion(parent text, name text) returns void language plpgsql as $$
begin
  execute format('alter table %I validate constraint %I', parent || '_default', name);
end $$;

-- Drops a partition of a week. Returns false if another server has dropped it. Never drops the default partition, because its
-- name does not end with a day.
create function drop_partition(name text) returns boolean language plpgsql as $$
begin
  if name !~ '^(events|webhook_deliveries|request_log)_[0-9]{8}$' then
    raise exception '% is not the partition of a week', name;
  end if;
  if to_regclass(quote_ident(name)) is null then
    return false;
  end if;
  execute format('drop table %I', name);
  return true;
end $$;

-- Server processes that are running or have run. Each holds an advisory lock on its number while it runs.
create table processes (
  number   integer not null generated always as identity,
  seen_at  timestamptz not null default now(),
  constraint processes_pkey primary key (number)
);


-- Accounts and API keys

create table accounts (
  id                   uuid not null,
  name                 text not null,
  country              text not null default 'US',
  status               text not null default 'test_only',
  -- The variable part of the fee of a charge, in hundredths of a percent.
  fee_basis_points     integer not null default 290,
  -- Overrides of the default fees and limits (docs/reference/currencies.md), by currency, in the smallest unit: {"usd":
  -- {"fixedFee": 30, "maxCharge": 500000}}.
  amounts              jsonb not null default '{}',
  -- The number of days until a captured payment can be paid out.
  settlement_days      smallint not null default 2,
  -- When underwriting approved live mode. Kept when the account is suspended or closed later.
  approved_at          timestamptz,
  was_approved         boolean not null generated always as (approved_at is not null) stored,
  -- When the account was closed. Its cards are deleted a number of days later.
  closed_at            timestamptz,
  -- The account's own rate limit. Null: the limit of the service.
  requests_per_second  integer,
  -- The data that customers see. Both modes share it.
  support_email        text,
  support_phone        text,
  -- The statement descriptor of charges that have none of their own.
  statement_descriptor text,
  -- An IANA name. Null: the time zone of each reader.
  time_zone            text,
  brand_color          text,
  background_color     text,
  -- The file name of the row in account_logos.
  logo                 text,
  version              integer not null default 1,
  constraint accounts_pkey primary key (id),
  -- Referenced by the foreign key api_keys_live_needs_approval.
  constraint accounts_id_was_approved_unique unique (id, was_approved),
  constraint accounts_status_known check (status in ('test_only', 'approved', 'suspended', 'closed')),
  constraint accounts_approved_at_matches_status check (
    case status when 'test_only' then approved_at is null when 'closed' then true else approved_at is not null end),
  constraint accounts_closed_at_matches_status check ((status = 'closed') = (closed_at is not null)),
  constraint accounts_fee_basis_points_range check (fee_basis_points between 0 and 10000),
  constraint accounts_amounts_is_object check (jsonb_typeof(amounts) = 'object'),
  constraint accounts_settlement_days_range check (settlement_days between 0 and 30),
  constraint accounts_requests_per_second_range check (requests_per_second between 1 and 10000),
  constraint accounts_statement_descriptor_length check (length(statement_descriptor) between 5 and 22),
  constraint accounts_brand_color_format check (brand_color ~ '^#[0-9a-f]{6}$'),
  constraint accounts_background_color_format check (background_color ~ '^#[0-9a-f]{6}$')
);
create index accounts_closed on accounts (closed_at) where closed_at is not null;

-- The logos of accounts, as they were uploaded. They are in a table of their own, because accounts are cached in memory.
create table account_logos (
  account_id  uuid not null,
  -- The hash of the content, with the extension of the media type: the last part of the logo's URL.
  file_name   text not null,
  media_type  text not null,
  content     bytea not null,
  constraint account_logos_pkey primary key (account_id),
  constraint account_logos_account_exists foreign key (account_id) references accounts,
  constraint account_logos_media_type_known check (media_type in ('image/png', 'image/jpeg')),
  constraint account_logos_size check (length(content) between 1 and 262144)
);

-- Settings that the merchant edits. Each mode has its own row, so that a test key cannot change live mode.
create table account_settings (
  account_id       uuid not null,
  livemode         boolean not null,
  payout_schedule  text not null default 'manual',
  -- Origins that may frame the card form of any session of this account and mode.
  allowed_origins  text[] not null default '{}',
  -- Customers get receipts of the payments and refunds from this time on. Null: they get none.
  receipts_since   timestamptz,
  -- The number of changes to these settings. It is part of the version of the account object in this mode.
  changes          integer not null default 0,
  constraint account_settings_pkey primary key (account_id, livemode),
  constraint account_settings_account_exists foreign key (account_id) references accounts,
  constraint account_settings_payout_schedule_known check (payout_schedule in ('manual', 'daily'))
);
-- Finds the accounts of the daily payout run.
create index account_settings_daily_payouts on account_settings (account_id, livemode) where payout_schedule = 'daily';
-- Finds the accounts whose customers get receipts.
create index account_settings_receipts on account_settings (account_id, livemode) where receipts_since is not null;

create table api_keys (
  -- HMAC-SHA-256 of the key. The key itself is shown once and not stored.
  hash              bytea not null,
  id                uuid not null,
  account_id        uuid not null,
  livemode          boolean not null,
  name              text not null,
  last4             text not null,
  -- The permissions of a restricted key. Null for a secret key, which has every permission that a key can have.
  permissions       text[],
  -- The person who created it. Null for the keys that an account is created with.
  created_by        uuid,
  created_at        timestamptz not null,
  -- Updated periodically, not on every request.
  last_used_at      timestamptz,
  -- The time until which a rotated key stays valid alongside its successor.
  expires_at        timestamptz,
  revoked_at        timestamptz,
  live_of_approved  boolean generated always as (case when livemode then true end) stored,
  constraint api_keys_pkey primary key (hash),
  constraint api_keys_id_unique unique (id),
  constraint api_keys_account_exists foreign key (account_id) references accounts,
  -- Live keys exist only for accounts that underwriting has approved.
  constraint api_keys_live_needs_approval foreign key (account_id, live_of_approved) references accounts (id, was_approved),
  constraint api_keys_permissions_not_empty check (cardinality(permissions) > 0)
);
create index api_keys_by_account on api_keys (account_id, livemode, id);

-- Check values, one for each key of the key provider. At startup, a server compares its keys with these values to detect keys
-- other than those that the database was written with. Without this check, a server with an empty or wrong key directory would
-- create new keys, with which no API key would be valid and no stored card could be decrypted.
create table key_checks (
  -- `test.1`, `live.2`: a key-encryption key. `test.fingerprint`: a key for HMACs.
  key_id         text not null,
  livemode       boolean not null,
  kind           text not null,
  -- A constant encrypted with the key, or an HMAC of a fixed text under the key. Neither reveals the key.
  check_value    bytea not null,
  registered_at  timestamptz not null,
  -- Set when nothing in the database is encrypted with the key any more. Its file may then be removed.
  retired_at     timestamptz,
  constraint key_checks_pkey primary key (key_id),
  constraint key_checks_kind_known check (kind in ('encryption', 'hmac')),
  constraint key_checks_hmac_never_retired check (kind = 'encryption' or retired_at is null)
);


-- People and sign-in
--
-- People do not belong to an account. The table `members` connects them with accounts. Secrets are stored only as hashes, or
-- encrypted by the key provider.

create table people (
  id             uuid not null,
  email          text not null,
  name           text not null,
  -- argon2id, as a PHC string.
  password_hash  text not null,
  -- True if the person operates the service.
  operator       boolean not null default false,
  -- The last sign-in, to report people who have been inactive for 90 days (PCI DSS 8.2.6).
  signed_in_at   timestamptz,
  constraint people_pkey primary key (id)
);
-- Addresses that differ only in case are the same address.
create unique index people_email_unique on people (lower(email));
create index people_by_activity on people (coalesce(signed_in_at, created_at(id)));

create table sessions (
  id             uuid not null,
  person_id      uuid not null,
  -- SHA-256 of the 256 random bits in the cookie. The token is replaced whenever the session's privileges change.
  token_hash     bytea not null,
  -- True if a second factor was verified at sign-in or later.
  second_factor  boolean not null,
  -- When the person last authenticated. Sensitive operations require a recent authentication.
  authenticated_at timestamptz not null,
  last_seen_at   timestamptz not null,
  ip             text not null,
  user_agent     text not null,
  constraint sessions_pkey primary key (id),
  constraint sessions_token_hash_unique unique (token_hash),
  constraint sessions_person_exists foreign key (person_id) references people on delete cascade
);
create index sessions_by_person on sessions (person_id);

-- Secrets of authenticator apps (RFC 6238).
create table totp_secrets (
  person_id     uuid not null,
  secret        bytea not null,
  -- Null until the first valid code.
  confirmed_at  timestamptz,
  -- The time step of the last accepted code. A code of this step or an earlier one is rejected as a replay.
  last_step     bigint not null default 0,
  constraint totp_secrets_pkey primary key (person_id),
  constraint totp_secrets_person_exists foreign key (person_id) references people on delete cascade
);

create table recovery_codes (
  person_id  uuid not null,
  -- An HMAC, because a plain hash of a short code could be reversed by trying all codes.
  hash       bytea not null,
  used_at    timestamptz,
  constraint recovery_codes_pkey primary key (person_id, hash),
  constraint recovery_codes_person_exists foreign key (person_id) references people on delete cascade
);

create table passkeys (
  credential_id  bytea not null,
  person_id      uuid not null,
  name           text not null,
  public_key     bytea not null,
  -- Increases with each use on authenticators that count. A lower value indicates a cloned authenticator.
  counter        bigint not null,
  transports     text[] not null,
  created_at     timestamptz not null,
  last_used_at   timestamptz,
  constraint passkeys_pkey primary key (credential_id),
  constraint passkeys_person_exists foreign key (person_id) references people on delete cascade
);
create index passkeys_by_person on passkeys (person_id);

-- WebAuthn challenges. Each is valid for one response.
create table passkey_challenges (
  challenge   text not null,
  -- Null at sign-in with a passkey, because the response identifies the person.
  person_id   uuid,
  purpose     text not null,
  expires_at  timestamptz not null,
  constraint passkey_challenges_pkey primary key (challenge),
  constraint passkey_challenges_person_exists foreign key (person_id) references people on delete cascade,
  constraint passkey_challenges_purpose_known check (purpose in ('sign_in', 'register', 'reauthenticate'))
);

-- Single-use links that are sent by email.
create table links (
  -- SHA-256 of the 256 random bits in the link.
  hash        bytea not null,
  purpose     text not null,
  person_id   uuid,
  -- The address that the link was sent to. Opening the link verifies the address.
  email       text,
  expires_at  timestamptz not null,
  constraint links_pkey primary key (hash),
  constraint links_person_exists foreign key (person_id) references people on delete cascade,
  constraint links_purpose_known check (purpose in ('sign_up', 'reset_password', 'set_up_operator')),
  constraint links_sign_up_has_email check (
    (purpose = 'sign_up') = (person_id is null and email is not null) or purpose = 'set_up_operator'),
  constraint links_reset_has_person check ((purpose = 'reset_password') = (person_id is not null))
);
create index links_by_person on links (person_id) where person_id is not null;

-- Failed sign-ins by email address and by network, with the backoff that follows from them.
create table sign_in_attempts (
  subject   text not null,
  -- Decays with time, so it is not an integer.
  failures  double precision not null,
  last_at   timestamptz not null,
  -- The time until which further attempts are rejected.
  next_at   timestamptz not null,
  constraint sign_in_attempts_pkey primary key (subject)
);

-- Failed sign-ins by minute and network. Complete minutes are moved to the audit log, one entry for each network.
create table failed_sign_ins (
  minute     timestamptz not null,
  -- An IPv4 address, or the /64 of an IPv6 address.
  network    text not null,
  kind       text not null,
  -- The person whose email address was entered, or the nil UUID if no person is known. The entered address is not stored,
  -- because it may be a password that was typed into the wrong field.
  person_id  uuid not null,
  attempts   integer not null,
  constraint failed_sign_ins_pkey primary key (minute, network, kind, person_id),
  constraint failed_sign_ins_kind_known check (kind in ('password', 'code', 'passkey')),
  constraint failed_sign_ins_attempts_positive check (attempts > 0)
);

-- The email queue. An email is inserted in the transaction that it reports.
create table mails (
  id          uuid not null,
  recipient   text not null,
  subject     text not null,
  -- Null once the email has been sent or will not be retried, because the body may contain a single-use link.
  body        text,
  -- The label of the button that opens the link in the body. Null: the link has no button.
  action      text,
  -- The name, color and logo path of the merchant in whose name the email is sent. Null for an email that
  -- the service sends in its own name.
  brand       jsonb,
  -- The BCP 47 tag of the language. Null: English.
  language    text,
  -- The address that answers go to. Null: the sender.
  reply_to    text,
  attempts    smallint not null default 0,
  -- When the next attempt is due. Null after the last attempt.
  due_at      timestamptz,
  sent_at     timestamptz,
  last_error  text,
  constraint mails_pkey primary key (id),
  constraint mails_brand_is_object check (jsonb_typeof(brand) = 'object'),
  constraint mails_body_until_last_attempt check ((due_at is null) = (body is null)),
  constraint mails_sent_not_due check (sent_at is null or due_at is null)
);
create index mails_due on mails (due_at) where due_at is not null;

-- The number of emails queued on a day (UTC) that a limit counts. A limit applies to a recipient, identified by a hash, or to
-- an account.
create table mail_counts (
  subject  text not null,
  day      date not null,
  count    integer not null,
  constraint mail_counts_pkey primary key (subject, day),
  constraint mail_counts_positive check (count > 0)
);


-- Teams

-- The people of an account. Both modes share the team.
create table members (
  account_id  uuid not null,
  id          uuid not null,
  person_id   uuid not null,
  role        text not null,
  constraint members_pkey primary key (account_id, id),
  constraint members_person_unique unique (account_id, person_id),
  constraint members_account_exists foreign key (account_id) references accounts,
  constraint members_person_exists foreign key (person_id) references people,
  constraint members_role_known check (role in ('owner', 'admin', 'developer', 'support', 'analyst'))
);
-- Lists the accounts of a person after sign-in.
create index members_by_person on members (person_id);

-- Events that people of the team should know of, for the bell of the dashboard and for emails. A job copies them from `events`,
-- so that each is emailed once (docs/decisions/0058-notifications-are-read-from-the-outbox.md).
create table team_notifications (
  account_id  uuid not null,
  -- The uuid of the event, where there is one.
  id          uuid not null,
  -- Null if the notification concerns both modes.
  livemode    boolean,
  type        text not null,
  object_id   uuid not null,
  details     jsonb not null,
  constraint team_notifications_pkey primary key (account_id, id),
  constraint team_notifications_account_exists foreign key (account_id) references accounts,
  constraint team_notifications_type_known check (type in ('dispute.opened', 'payout.failed', 'webhook_endpoint.failing',
    'webhook_endpoint.disabled', 'application.approved', 'application.rejected', 'application.information_requested')),
  constraint team_notifications_details_is_object check (jsonb_typeof(details) = 'object')
);
-- Finds the previous notification of an endpoint.
create index team_notifications_by_object on team_notifications (account_id, object_id);

-- The choices of each member about the notifications of one mode.
create table notification_preferences (
  account_id  uuid not null,
  livemode    boolean not null,
  person_id   uuid not null,
  -- The topics of which the person receives no emails.
  muted       text[] not null default '{}',
  -- The time up to which the person has read the notifications.
  read_at     timestamptz,
  constraint notification_preferences_pkey primary key (account_id, livemode, person_id),
  constraint notification_preferences_member_exists foreign key (account_id, person_id)
    references members (account_id, person_id) on delete cascade,
  constraint notification_preferences_muted_known check (muted <@ '{disputes,payouts,webhooks,application}')
);

create table invitations (
  account_id   uuid not null,
  id           uuid not null,
  email        text not null,
  role         text not null,
  invited_by   uuid not null,
  -- SHA-256 of the 256 random bits in the link.
  token_hash   bytea not null,
  expires_at   timestamptz not null,
  accepted_at  timestamptz,
  revoked_at   timestamptz,
  constraint invitations_pkey primary key (account_id, id),
  constraint invitations_token_hash_unique unique (token_hash),
  constraint invitations_account_exists foreign key (account_id) references accounts,
  constraint invitations_inviter_exists foreign key (invited_by) references people,
  constraint invitations_role_known check (role in ('owner', 'admin', 'developer', 'support', 'analyst')),
  constraint invitations_not_accepted_and_revoked check (accepted_at is null or revoked_at is null)
);
-- A second invitation to the same address replaces the first and its link.
create unique index invitations_one_open_per_email on invitations (account_id, lower(email))
  where accepted_at is null and revoked_at is null;


-- Audit log

-- Audit entries, append-only. An entry's hash covers the previous entry's hash and its own text, so a change to an earlier
-- entry is detected. `florin verify` compares the last entry with audit_heads to detect that entries were removed from the end.
-- The columns from `id` on are generated from the hashed text, so that they cannot differ from it.
--
-- Entries that concern the whole service, and not one account, form a chain of their own with the nil UUID as `account_id`.
create table audit_log (
  account_id  uuid not null,
  number      bigint not null,
  entry       text not null,
  hash        bytea not null,
  -- HMAC-SHA-256 over chain, number and hash, with a key that is not in the database.
  mac         bytea not null,
  id          uuid not null generated always as ((entry::jsonb ->> 'id')::uuid) stored,
  livemode    boolean generated always as ((entry::jsonb ->> 'livemode')::boolean) stored,
  action      text not null generated always as (entry::jsonb ->> 'action') stored,
  actor_id    text generated always as (entry::jsonb ->> 'actor_id') stored,
  object_id   text generated always as (entry::jsonb ->> 'object_id') stored,
  constraint audit_log_pkey primary key (account_id, number),
  constraint audit_log_id_unique unique (account_id, id),
  constraint audit_log_number_positive check (number > 0),
  constraint audit_log_hash_is_sha256 check (length(hash) = 32),
  constraint audit_log_mac_is_sha256 check (length(mac) = 32)
);
create index audit_log_by_object on audit_log (account_id, object_id, id) where object_id is not null;
create index audit_log_by_actor on audit_log (account_id, actor_id, id) where actor_id is not null;

-- The last entry of each account's chain. Writers lock a chain's row, so that its entries are written one after another.
create table audit_heads (
  account_id  uuid not null,
  number      bigint not null,
  hash        bytea not null,
  -- An HMAC over the same fields as `audit_log.mac`, but with a different label, so that the `mac` of an earlier entry cannot
  -- serve as the head of a shortened chain. Null while the chain is empty.
  mac         bytea,
  constraint audit_heads_pkey primary key (account_id),
  constraint audit_heads_mac_unless_empty check ((number = 0) = (mac is null))
);

create function reject_audit_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is rejected', tg_table_name, tg_op using errcode = 'insufficient_privilege';
end $$;

create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function reject_audit_change();
create trigger audit_heads_not_deletable before delete or truncate on audit_heads
  for each statement execute function reject_audit_change();

-- Rejects updates that do not advance a head to the next entry of its chain.
create function check_audit_head() returns trigger language plpgsql as $$
begin
  if new.account_id = old.account_id
     and (new is not distinct from old or (new.number = old.number + 1 and exists (
           select from audit_log l
            where l.account_id = new.account_id and l.number = new.number and l.hash = new.hash))) then
    return new;
  end if;
  raise exception 'audit_heads moves to the next entry of its chain only' using errcode = 'insufficient_privilege';
end $$;

create trigger audit_heads_advance_only before update on audit_heads
  for each row execute function check_audit_head();

-- The role that writes audit entries. It may insert and read entries and advance a head. Roles belong to the whole cluster, so
-- the migration of another database may have created the role, or may be creating it at the same time. Without the privilege to
-- create roles, the migration continues. Only the triggers then protect the log, and `florin doctor` prints a warning.
do $$
begin
  begin
    create role florin_audit nologin;
  exception
    when duplicate_object or unique_violation then null;
    when insufficient_privilege then
      raise warning 'the role florin_audit could not be created';
      return;
  end;
  begin
    if not pg_has_role(current_user, 'florin_audit', 'member') then
      execute format('grant florin_audit to %I', current_user);
    end if;
    grant select, insert on audit_log to florin_audit;
    grant select, insert, update on audit_heads to florin_audit;
  exception when insufficient_privilege then
    raise warning 'the role florin_audit could not be granted to %', current_user;
  end;
end $$;


-- Requests

create table idempotency_keys (
  account_id    uuid not null,
  livemode      boolean not null,
  key           text not null,
  -- SHA-256 of method, path and canonical body.
  fingerprint   bytea not null,
  -- The charge or operation that the request created, so that a retry after a crash finds and completes it. Both are null if
  -- the request and its response are written in one transaction.
  charge_id     uuid,
  operation_id  uuid,
  created_at    timestamptz not null default now(),
  -- Null until the first request with this key has a response. Such a row does not expire if it names a charge or an operation.
  status_code   smallint,
  -- The response body. Null if the body is the object in the event `event_id`, so that it is not stored twice.
  response      text,
  event_id      uuid,
  constraint idempotency_keys_pkey primary key (account_id, livemode, key),
  constraint idempotency_keys_response_complete check ((status_code is null) = (response is null and event_id is null))
)
-- Leaves half of each page free, so that storing a response is a HOT update without a second index entry.
with (fillfactor = 50);
-- Finds expired keys. Inserts append to the end of the index. A BRIN index stops working after a day, because new keys reuse the
-- pages of deleted ones, so that every range of pages has keys of all ages (docs/decisions/0054-expired-keys-and-vacuums.md).
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- API requests of the last 30 days.
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
  actor_kind       text not null,
  actor_id         text not null,
  actor_name       text not null,
  ip               text not null,
  user_agent       text,
  idempotency_key  text,
  -- At most 4 KB each, without card data and secrets.
  request_body     text,
  response_body    text,
  -- The objects named in the path, the request and the response.
  object_ids       uuid[] not null,
  -- The number of requests that sampling left out since the previous row.
  left_out         integer not null,
  constraint request_log_pkey primary key (account_id, livemode, id),
  constraint request_log_actor_kind_known check (actor_kind in ('api_key', 'person'))
) partition by range (id);
-- Rows are only inserted. Without the vacuum that Postgres runs after inserts, a row is written once and dropped with its week.
create table request_log_default partition of request_log default with (autovacuum_vacuum_insert_threshold = -1);
create index request_log_by_object on request_log using gin (object_ids);
create index request_log_failed on request_log (account_id, livemode, id) where status >= 400;

-- Saved filters of a list, shared by the team.
create table saved_views (
  account_id  uuid not null,
  livemode    boolean not null,
  id          uuid not null,
  list        text not null,
  name        text not null,
  query       text not null,
  constraint saved_views_pkey primary key (account_id, livemode, id),
  constraint saved_views_account_exists foreign key (account_id) references accounts,
  constraint saved_views_list_known check (list in ('charges'))
);


-- Customers and cards

-- The words of a customer's name and email address, for a search by the beginning of words. Each word begins with the account
-- and the mode, so that one index serves all merchants and a search reads only the words of one. The collation converts letters
-- of every language to lower case, and does not depend on the operating system.
create function customer_words(account uuid, livemode boolean, name text, email text) returns tsvector
  language sql immutable parallel safe as $$
  select coalesce(array_to_tsvector(array_agg(account || case when livemode then '+' else '-' end || word)), ''::tsvector)
    from regexp_split_to_table(lower((coalesce(name, '') || ' ' || coalesce(email, '')) collate pg_c_utf8), '[^[:alnum:]]+') word
   where word <> ''
$$;

create table customers (
  account_id  uuid not null,
  livemode    boolean not null,
  id          uuid not null,
  email       text,
  name        text,
  metadata    jsonb not null default '{}',
  -- Set on deletion, which erases personal data and keeps the id, because charges refer to it.
  deleted_at  timestamptz,
  words       tsvector not null generated always as (customer_words(account_id, livemode, name, email)) stored,
  constraint customers_pkey primary key (account_id, livemode, id),
  constraint customers_account_exists foreign key (account_id) references accounts,
  constraint customers_deleted_are_erased check (deleted_at is null or (email is null and name is null))
);
create index customers_by_email on customers (account_id, livemode, lower(email), id) where email is not null;
-- Without the list of pending entries, which each search would read as a whole.
create index customers_by_word on customers using gin (words) with (fastupdate = off);

-- Card numbers, each encrypted with its own data key, which is wrapped by the key-encryption key `key_id`. Account and id are
-- additional authenticated data, so a row that is copied to another merchant cannot be decrypted.
create table vault_cards (
  account_id          uuid not null,
  livemode            boolean not null,
  id                  uuid not null,
  key_id              text not null,
  wrapped_key         bytea not null,
  ciphertext              bytea not null,
  -- Set on a card that was detached while a charge with it was in progress. The card is deleted when that charge ends.
  erase_requested_at  timestamptz,
  constraint vault_cards_pkey primary key (account_id, livemode, id),
  constraint vault_cards_account_exists foreign key (account_id) references accounts
)
-- A deleted card stays on disk until vacuum removes it. Frequent vacuums shorten this time from days to minutes.
with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 100);
-- The queue of detached cards whose charges are in progress. It is empty most of the time.
create index vault_cards_to_erase on vault_cards (erase_requested_at) where erase_requested_at is not null;

-- The part of a card that may be displayed, and the customer or session that the card may be charged for.
create table payment_methods (
  account_id              uuid not null,
  livemode                boolean not null,
  -- The same UUID as in vault_cards.
  id                      uuid not null,
  -- The customer that the card is saved for.
  customer_id             uuid,
  -- The session in whose card form the card was entered. Until the card is saved, it can be charged for this session only.
  checkout_session_id     uuid,
  -- When the cardholder agreed to save the card. The first successful payment afterwards saves it.
  consented_at            timestamptz,
  -- The network transaction ID of the payment that saved the card. It is sent with every later merchant-initiated payment.
  network_transaction_id  text,
  -- The billing country that was entered in the card form.
  billing_country         text,
  brand                   text not null,
  last4                   text not null,
  exp_month               smallint not null,
  exp_year                smallint not null,
  funding                 text not null,
  country                 text,
  -- The networks of the card, and the cardholder's choice on a co-badged card.
  networks                text[] not null,
  preferred_network       text,
  fingerprint             text not null,
  metadata                jsonb not null default '{}',
  detached_at             timestamptz,
  constraint payment_methods_pkey primary key (account_id, livemode, id),
  constraint payment_methods_account_exists foreign key (account_id) references accounts,
  constraint payment_methods_last4_is_digits check (last4 ~ '^[0-9]{4}$'),
  constraint payment_methods_exp_month_range check (exp_month between 1 and 12),
  constraint payment_methods_preferred_network_on_card check (preferred_network = any(networks)),
  -- A card that is not detached belongs to a customer who agreed to save it, or to the one session that it was entered in.
  constraint payment_methods_have_a_purpose check (
    customer_id is not null or checkout_session_id is not null or detached_at is not null),
  constraint payment_methods_saved_with_consent check (customer_id is null or consented_at is not null),
  constraint payment_methods_saved_not_detached check (customer_id is null or detached_at is null)
);
create index payment_methods_by_customer on payment_methods (account_id, livemode, customer_id, id)
  where customer_id is not null;
-- The session is the first column, so that the planner does not choose this index for statements that name only the account.
create index payment_methods_of_one_session on payment_methods (checkout_session_id, account_id, livemode)
  where customer_id is null and checkout_session_id is not null;


-- Risk

-- Decisions that a merchant requested. The decision of a charge without a decision_id is stored in the charge
-- (decision_outcome, risk_score, decision_reasons) and has the charge's UUID.
create table decisions (
  account_id         uuid not null,
  livemode           boolean not null,
  id                 uuid not null,
  amount             positive_amount not null,
  currency           text not null,
  payment_method_id  uuid not null,
  customer_id        uuid,
  ip                 text,
  email              text,
  metadata           jsonb not null default '{}',
  outcome            decision_outcome not null,
  risk_score         risk_score not null,
  reasons            text[] not null,
  -- True if 3-D Secure is required, independent of the outcome.
  authenticate       boolean not null,
  -- The inputs of the decision, and the rules that matched.
  details            jsonb,
  review             text,
  expires_at         timestamptz not null,
  constraint decisions_pkey primary key (account_id, livemode, id),
  constraint decisions_account_exists foreign key (account_id) references accounts,
  constraint decisions_review_known check (review in ('open', 'approved', 'declined')),
  constraint decisions_review_matches_outcome check ((outcome = 'review') = (review is not null))
);
-- Finds a newer decision for the same payment.
create index decisions_by_payment_method on decisions (account_id, livemode, payment_method_id, id);
create index decisions_not_approving on decisions (account_id, livemode, outcome, id) where outcome <> 'approve';

-- A merchant's rules: conditions in the Common Expression Language, each with an outcome.
create table rules (
  account_id       uuid not null,
  livemode         boolean not null,
  id               uuid not null,
  expression       text not null,
  outcome          text not null,
  status           text not null,
  -- The reason why the service disabled the rule. The service disables a rule if its expression can no longer be evaluated.
  -- Null if the merchant disabled the rule.
  disabled_reason  text,
  -- The cost of an evaluation. The sum over a merchant's enabled rules is limited.
  cost             integer not null,
  description      text,
  metadata         jsonb not null default '{}',
  constraint rules_pkey primary key (account_id, livemode, id),
  constraint rules_account_exists foreign key (account_id) references accounts,
  constraint rules_outcome_known check (outcome in ('approve', 'challenge', 'review', 'decline')),
  constraint rules_status_known check (status in ('enabled', 'disabled')),
  constraint rules_disabled_reason_when_disabled check (disabled_reason is null or status = 'disabled'),
  constraint rules_cost_not_negative check (cost >= 0)
);

create table list_entries (
  account_id   uuid not null,
  livemode     boolean not null,
  id           uuid not null,
  list         text not null,
  attribute    text not null,
  value        text not null,
  expires_at   timestamptz,
  description  text,
  metadata     jsonb not null default '{}',
  constraint list_entries_pkey primary key (account_id, livemode, id),
  constraint list_entries_value_unique unique (account_id, livemode, list, attribute, value),
  constraint list_entries_account_exists foreign key (account_id) references accounts,
  constraint list_entries_list_known check (list in ('allow', 'block'))
);

-- The revision of a merchant's rules and lists. Each change increments it, and so waits for the changes in progress.
create table rule_set_revisions (
  account_id  uuid not null,
  livemode    boolean not null,
  revision    bigint not null,
  constraint rule_set_revisions_pkey primary key (account_id, livemode),
  constraint rule_set_revisions_account_exists foreign key (account_id) references accounts
);

-- Hourly counts of attempts, declines and mismatches for a card, an address or a device. Servers count in memory and add the
-- totals here.
create table velocity_counts (
  account_id  uuid not null,
  livemode    boolean not null,
  -- A letter for the kind, then the card's fingerprint or a hash.
  subject     text not null,
  -- Hours since 1970.
  hour        integer not null,
  attempts    integer not null,
  declines    integer not null,
  -- Failed checks of security codes and addresses.
  mismatches  integer not null,
  constraint velocity_counts_pkey primary key (account_id, livemode, subject, hour)
);
-- Finds expired counters (see idempotency_keys_by_age).
create index velocity_counts_by_age on velocity_counts (hour);


-- Payments

create table checkout_sessions (
  account_id           uuid not null,
  livemode             boolean not null,
  id                   uuid not null,
  status               session_status not null,
  payment_status       session_payment_status not null,
  amount               positive_amount not null,
  currency             text not null,
  capture_method       capture_method not null,
  customer_id          uuid,
  client_reference_id  client_reference_id,
  -- Fields that the service stores and returns: addresses, line items, texts.
  details              jsonb not null,
  metadata             jsonb not null default '{}',
  expires_at           timestamptz not null,
  max_attempts         smallint not null,
  attempts             smallint not null default 0,
  -- The number of cards that were entered in the session's card form and are not deleted yet.
  card_count           smallint not null default 0,
  charge_id            uuid,
  last_payment_error   jsonb,
  version              integer not null default 1,
  constraint checkout_sessions_pkey primary key (account_id, livemode, id),
  constraint checkout_sessions_account_exists foreign key (account_id) references accounts,
  -- A complete session becomes unpaid again when its authorization is voided.
  constraint checkout_sessions_unpaid_until_complete check (status = 'complete' or payment_status = 'unpaid'),
  constraint checkout_sessions_max_attempts_positive check (max_attempts > 0),
  constraint checkout_sessions_attempts_within_max check (attempts between 0 and max_attempts),
  constraint checkout_sessions_card_count_within_max check (card_count between 0 and 20)
);
-- The URL of the card form names only the session.
create index checkout_sessions_by_id on checkout_sessions (id);
create index checkout_sessions_by_reference
  on checkout_sessions (account_id, livemode, client_reference_id, id) where client_reference_id is not null;
create index checkout_sessions_by_customer
  on checkout_sessions (account_id, livemode, customer_id, id) where customer_id is not null;
-- Lists sessions with a rare status. Lists of the other statuses scan the primary key.
create index checkout_sessions_by_rare_status on checkout_sessions (account_id, livemode, status, id)
  where status in ('requires_action', 'expired', 'canceled', 'failed');
-- expires_at is never null. The redundant condition keeps the planner from choosing this index for updates (see charges_due).
create index checkout_sessions_to_expire on checkout_sessions (expires_at) where status = 'open' and expires_at is not null;
-- The queue of ended sessions whose cards are to be deleted.
create index checkout_sessions_with_cards_to_erase on checkout_sessions (id)
  where card_count > 0 and status in ('complete', 'expired', 'canceled', 'failed');

create table charges (
  account_id            uuid not null,
  livemode              boolean not null,
  id                    uuid not null,
  status                charge_status not null,
  pending_reason        pending_reason,
  -- Set before the reversal of a charge with an unknown outcome is sent. Afterwards an approval has no effect, and only the
  -- response to the reversal finalizes the charge.
  reversal_pending      boolean not null default false,
  version               integer not null default 1,
  amount                positive_amount not null,
  amount_captured       bigint not null default 0,
  -- Includes refunds in progress: a refund adds its amount when it is created and subtracts it when it fails.
  amount_refunded       bigint not null default 0,
  -- The sum of disputes that are open or lost.
  amount_disputed       bigint not null default 0,
  currency              text not null,
  capture_method        capture_method not null,
  capture_before        timestamptz,
  processor             text not null,
  -- The assignment (processor_assignments) whose connection the charge is sent over. Null for the simulator.
  assignment_id         uuid,
  -- The acquirer's identifier of the payment, to which captures, refunds and notifications refer.
  acquirer_reference    text,
  -- The authorization code, the ECI, the liability shift and the network's advice, if the acquirer returned them.
  acquirer_details      jsonb,
  payment_method_id     uuid not null,
  -- The part of the card that may be displayed: brand, last4, expiry, funding, country, fingerprint.
  card                  jsonb not null,
  -- The issuer's results of the CVC and address checks. Null until the acquirer was called.
  checks                jsonb,
  three_d_secure        jsonb,
  customer_id           uuid,
  checkout_session_id   uuid,
  -- The merchant's reference for the charge or for its checkout session.
  client_reference_id   client_reference_id,
  -- The decision that the merchant requested beforehand. Null where the service made its own.
  decision_id           uuid,
  decision_outcome      decision_outcome not null,
  risk_score            risk_score not null,
  decision_reasons      text[] not null default '{}',
  -- The inputs of the decision that are not in other columns of the charge, and the rules that matched.
  decision_details      jsonb,
  -- The result of a manual review.
  review                review_outcome,
  description           text,
  statement_descriptor  text,
  off_session           boolean not null default false,
  return_url            text,
  metadata              jsonb not null default '{}',
  failure_code          text,
  decline_code          text,
  network_decline_code  text,
  -- True if an operator ended the charge without a confirmation of the acquirer. A late approval is reversed.
  failure_unconfirmed   boolean not null default false,
  -- The ledger entry that took the amount back, because the capture failed after it had succeeded.
  failure_entry_id      uuid,
  request_id            uuid,
  idempotency_key       text,
  -- The server process that is working on the charge, or 0. When it dies, another process sends a status inquiry immediately.
  claimed_by            integer not null,
  -- The status inquiries or reversals sent since the authorization, or since an operator last restarted them.
  inquiries             smallint not null default 0,
  -- How often an operator restarted the inquiries. Both numbers are part of the idempotency key of a reversal.
  inquiry_restarts      smallint not null default 0,
  -- When the next status inquiry is due, or when a 3-D Secure challenge times out.
  due_at                timestamptz,
  finalized_at          timestamptz,
  constraint charges_pkey primary key (account_id, livemode, id),
  -- Holds for any number of concurrent refunds and disputes.
  constraint charges_refunds_within_captured check (
    amount_refunded >= 0 and amount_disputed >= 0 and amount_refunded + amount_disputed <= amount_captured
    and amount_captured <= amount),
  constraint charges_captured_matches_status check ((amount_captured > 0) = (status = 'succeeded')),
  constraint charges_finalized_at_matches_status check (
    (status in ('processing', 'requires_action')) = (finalized_at is null)),
  constraint charges_failure_code_matches_status check ((status = 'failed') = (failure_code is not null)),
  constraint charges_decline_code_with_failure_code check ((failure_code is null) = (decline_code is null)),
  constraint charges_failure_entry_of_failed_charge check (failure_entry_id is null or status = 'failed'),
  -- An authorized charge has a pending reason while the outcome of its capture or void is unknown.
  constraint charges_pending_reason_until_final check (status in ('processing', 'authorized') or pending_reason is null),
  constraint charges_unconfirmed_while_failed check (status = 'failed' or not failure_unconfirmed),
  constraint charges_reversal_while_processing check (status = 'processing' or not reversal_pending),
  -- Test mode reaches only the simulator, and live mode never reaches it.
  constraint charges_simulator_in_test_mode_only check (livemode = (processor <> 'simulator')),
  constraint charges_assignment_in_live_mode check (livemode = (assignment_id is not null))
);
-- The conditions of this index and the next test a time column. The statements that update charges test the status as
-- well, so an index with a condition on the status alone could be used for them. As soon as the statistics say that few
-- charges are open, the planner would then scan that whole index for each updated charge. Charges in manual review are
-- not due. They are in this index for the admin console, because a separate index would make every charge 2.5% slower.
create index charges_due on charges (due_at) where due_at is not null or pending_reason = 'manual_review';
create index charges_to_release on charges (capture_before) where status = 'authorized' and capture_before is not null;
-- Counts the declines of a card, to block card testing. The fixed test payment methods have ids below this UUID and may be
-- declined without limit.
create index charges_declined_by_card on charges (account_id, livemode, (card->>'fingerprint'), id)
  where status = 'failed' and checks is not null
    and payment_method_id >= '01000000-0000-0000-0000-000000000000';
-- The review queue.
create index charges_in_review on charges (account_id, livemode, id)
  where decision_outcome = 'review' and status = 'authorized' and review is null;
create index charges_by_session on charges (account_id, livemode, checkout_session_id, id)
  where checkout_session_id is not null;
create index charges_by_customer on charges (account_id, livemode, customer_id, id) where customer_id is not null;
create index charges_by_client_reference
  on charges (account_id, livemode, client_reference_id, id) where client_reference_id is not null;
-- The fixed test payment methods (pm_card_visa, …) have ids below this UUID. They are not indexed, because nearly every charge
-- in test mode has one of them.
create index charges_by_payment_method on charges (account_id, livemode, payment_method_id, id)
  where payment_method_id >= '01000000-0000-0000-0000-000000000000';
-- Partial indexes for rare values cost the other charges nothing.
create index charges_by_decline_code on charges (account_id, livemode, decline_code, id) where status = 'failed';
create index charges_not_approved on charges (account_id, livemode, decision_outcome, id)
  where decision_outcome <> 'approve';
create index charges_refunded on charges (account_id, livemode, id) where amount_refunded > 0;
create index charges_disputed on charges (account_id, livemode, id) where amount_disputed > 0;
create index charges_with_failed_capture on charges (account_id, livemode, id) where failure_entry_id is not null;
-- A decision can be used for one charge only. Of two concurrent charges with the same decision, this index rejects the second.
create unique index charges_decision_used_once on charges (account_id, livemode, decision_id)
  where decision_id is not null;

-- Captures, voids and refunds. A refund has the UUID of its operation. An operation's UUID is its idempotency reference at the
-- acquirer, so a repeated call moves money only once.
create table operations (
  account_id        uuid not null,
  livemode          boolean not null,
  id                uuid not null,
  charge_id         uuid not null,
  kind              text not null,
  status            text not null,
  pending_reason    text,
  version           integer not null default 1,
  amount            bigint not null,
  currency          text not null,
  failure_code      text,
  -- The merchant's reason for a refund.
  reason            text,
  metadata          jsonb not null default '{}',
  -- The ledger entry that returns the amount of a failed refund to the merchant.
  failure_entry_id  uuid,
  -- The acquirer's identifier of the operation, if it has one.
  acquirer_reference text,
  request_id        uuid,
  idempotency_key   text,
  -- The person who requested it. Null for an API key and for the service itself.
  requested_by      uuid,
  -- As in charges.
  claimed_by        integer not null,
  inquiries         smallint not null default 0,
  due_at            timestamptz,
  -- When the operation got its present state, if that is a final one.
  finalized_at      timestamptz,
  constraint operations_pkey primary key (account_id, livemode, id),
  constraint operations_kind_known check (kind in ('capture', 'void', 'refund')),
  constraint operations_status_known check (status in ('processing', 'succeeded', 'failed')),
  constraint operations_amount_positive check (amount > 0),
  constraint operations_failure_code_matches_status check ((status = 'failed') = (failure_code is not null)),
  constraint operations_finalized_at_matches_status check ((status = 'processing') = (finalized_at is null)),
  constraint operations_pending_reason_known check (pending_reason in
    ('acquirer_processing', 'outcome_unknown', 'manual_review')),
  constraint operations_pending_while_processing check (
    status = 'processing' or (pending_reason is null and due_at is null)),
  constraint operations_failure_entry_of_failed_refund check (
    failure_entry_id is null or (kind = 'refund' and status = 'failed'))
);
-- A charge has one capture or void at a time. Refunds may be concurrent, because each has reserved its amount.
create unique index operations_one_capture_or_void on operations (account_id, livemode, charge_id)
  where kind in ('capture', 'void') and status = 'processing';
create index operations_refunds on operations (account_id, livemode, id) where kind = 'refund';
-- Lists refunds with a rare status. A list of succeeded refunds scans the index of all refunds.
create index operations_refunds_by_rare_status on operations (account_id, livemode, status, id)
  where kind = 'refund' and status in ('processing', 'failed');
create index operations_by_charge on operations (account_id, livemode, charge_id, id);
-- Has a condition on its time column for the same reason as charges_due.
create index operations_due on operations (due_at) where due_at is not null or pending_reason = 'manual_review';
-- Sums a person's refunds of the last hours.
create index operations_refunds_by_person on operations (account_id, livemode, requested_by, id)
  where kind = 'refund' and requested_by is not null;

-- Receipts that were emailed to customers. A job inserts those of payments and refunds, so that each is emailed once
-- (docs/decisions/0078-receipts-are-read-from-the-outbox.md).
create table receipts (
  account_id  uuid not null,
  livemode    boolean not null,
  -- The UUID of the event of the payment or refund. A receipt that a person or key requested has a UUID of its own.
  id          uuid not null,
  charge_id   uuid not null,
  -- The refund that the receipt is for. Null: the receipt is for the payment.
  refund_id   uuid,
  -- Null: nothing was sent, because a daily limit of emails was used up or the payment had failed again.
  recipient   text,
  constraint receipts_pkey primary key (account_id, livemode, id),
  constraint receipts_account_exists foreign key (account_id) references accounts
);
create index receipts_by_charge on receipts (account_id, livemode, charge_id, id) where recipient is not null;

create table receipt_progress (
  singleton  boolean not null default true,
  -- The job has read all events before this time.
  read_to    timestamptz not null,
  constraint receipt_progress_pkey primary key (singleton),
  constraint receipt_progress_one_row check (singleton)
);
insert into receipt_progress (read_to) values (to_timestamp(0));

-- Notifications from live acquirers, as received. A job applies them. A notification belongs to a connection. Its merchant is
-- known only after the charge or operation that it names is found.
create table acquirer_notifications (
  id                 uuid not null,
  connection_id      uuid not null,
  -- Equal for repeated deliveries of the same event.
  deduplication_key  text not null,
  event_code         text not null,
  -- The notification as JSON. Card numbers are masked, although acquirers do not send any.
  item               jsonb not null,
  state              text not null default 'pending',
  -- Why the notification was not applied.
  problem            text,
  received_at        timestamptz not null,
  due_at             timestamptz,
  version            integer not null default 1,
  constraint acquirer_notifications_pkey primary key (id),
  constraint acquirer_notifications_once unique (connection_id, deduplication_key),
  constraint acquirer_notifications_state_known check (state in
    ('pending', 'applied', 'ignored', 'unmatched', 'review', 'dismissed')),
  constraint acquirer_notifications_due_while_pending check ((state = 'pending') = (due_at is not null)),
  constraint acquirer_notifications_problem_of_unapplied check (state not in ('unmatched', 'review') or problem is not null)
);
create index acquirer_notifications_due on acquirer_notifications (due_at) where due_at is not null;
-- Lists the notifications that an operator must review.
create index acquirer_notifications_to_review on acquirer_notifications (connection_id, id) where state in ('unmatched', 'review');

-- Finds the reversals of a payment, which are rare.
create index acquirer_notifications_reversals on acquirer_notifications (connection_id, (item ->> 'originalReference'))
  where event_code in ('TECHNICAL_CANCEL', 'CANCEL_OR_REFUND');
-- Finds the late failures of a capture or refund, which are rare.
create index acquirer_notifications_late_failures on acquirer_notifications (connection_id, (item ->> 'merchantReference'))
  where event_code in ('CAPTURE_FAILED', 'REFUND_FAILED', 'REFUNDED_REVERSED', 'refund.failed');

-- The settlement details reports of live acquirers, one for each batch of a merchant account at the acquirer. Several merchants
-- can share such a merchant account.
create table settlement_reports (
  connection_id     uuid not null,
  merchant_account  text not null,
  batch             text not null,
  -- Increases when a corrected report of the batch replaces the lines.
  revision          integer not null default 1,
  file_name         text not null,
  -- The SHA-256 of the file, in hexadecimal.
  sha256            text not null,
  -- When a report of the batch was first received. Its UTC day is the day of the settlement file that contains the lines.
  received_at       timestamptz not null,
  line_count        integer not null,
  -- The times of the first and the last transaction. Null for a batch without transactions.
  posted_from       timestamptz,
  posted_until      timestamptz,
  -- The sums of the lines in each currency.
  sums              jsonb not null,
  -- The reason why the lines are known to be incomplete. A report with a problem is never applied. The next report of the batch
  -- replaces it.
  problem           text,
  -- When the lines of this revision were matched and posted to the ledger.
  applied_at        timestamptz,
  -- A result of the posting that an operator must correct.
  warning           text,
  -- The time of the next attempt to apply a complete report. It is later after each failed attempt.
  due_at            timestamptz not null,
  -- The consecutive failed attempts to apply this revision, and the error of the last one.
  failures          integer not null default 0,
  failure           text,
  constraint settlement_reports_pkey primary key (connection_id, merchant_account, batch),
  constraint settlement_reports_revision_counts_from_one check (revision >= 1),
  constraint settlement_reports_only_complete_applied check (problem is null or applied_at is null),
  constraint settlement_reports_failure_until_applied check (failures = 0 or (applied_at is null and problem is null)),
  constraint settlement_reports_failure_counted check ((failures > 0) = (failure is not null))
);
create index settlement_reports_by_time on settlement_reports (received_at);
create index settlement_reports_to_apply on settlement_reports (due_at) where applied_at is null and problem is null;

-- The lines of the reports, with the columns that Florin reads.
create table settlement_report_lines (
  connection_id           uuid not null,
  merchant_account        text not null,
  batch                   text not null,
  line                    integer not null,
  -- The type as written in the report, and the corresponding type in the settlement file. The latter is null for a line that is
  -- not a transaction.
  type                    text not null,
  settlement_type         text,
  charge_id               uuid,
  operation_id            uuid,
  -- The case of a dispute, as in disputes.network_case.
  case_id                 uuid,
  payment_reference       text,
  modification_reference  text,
  posted_at               timestamptz not null,
  gross_currency          text,
  gross                   bigint,
  net_currency            text not null,
  net                     bigint not null,
  -- The acquirer's fee, in the currency of the net amount.
  fee                     bigint not null,
  -- The account to which the line belongs. Null until the line is matched, and for a line without a charge if several accounts
  -- share the merchant account.
  account_id              uuid,
  -- True if the line belongs to a charge of the account and has the charge's currency. A charge's lines are posted to the
  -- ledger only if this is true.
  matched                 boolean not null default false,
  -- True for the line that makes the charge available for payout.
  releases                boolean not null default false,
  constraint settlement_report_lines_pkey primary key (connection_id, merchant_account, batch, line)
);
create index settlement_report_lines_by_account
  on settlement_report_lines (account_id, connection_id, merchant_account, batch, line) where account_id is not null;
create index settlement_report_lines_unmatched on settlement_report_lines (connection_id, merchant_account, batch, line)
  where not matched and settlement_type is not null;
create index settlement_report_lines_by_charge on settlement_report_lines (account_id, charge_id) where charge_id is not null;

create table disputes (
  account_id         uuid not null,
  livemode           boolean not null,
  id                 uuid not null,
  charge_id          uuid not null,
  -- The UUID of the case. For live acquirers, it is derived from `acquirer_reference`. A repeated notification of the same case
  -- has no effect.
  network_case       uuid not null,
  -- The acquirer's identifier of the case. Null in test mode.
  acquirer_reference text,
  status             text not null,
  version            integer not null default 1,
  amount             bigint not null,
  currency           text not null,
  reason             text not null,
  -- True for an inquiry: the issuer requests information, and no funds have been withdrawn.
  is_inquiry         boolean not null,
  evidence           jsonb,
  evidence_due_at    timestamptz not null,
  -- When the next attempt to send the merchant's response to the acquirer is due. Null if there is no response or the acquirer
  -- has confirmed it.
  response_due_at    timestamptz,
  -- The number of attempts to send the response that may have reached the acquirer.
  response_attempts  integer not null default 0,
  -- Why the acquirer rejected the last response. Null if it rejected none.
  response_problem   text,
  reversal_entry_id  uuid,
  -- The deadline for the merchant's response. Null unless the dispute needs a response.
  due_at             timestamptz,
  -- When the dispute was closed.
  closed_at          timestamptz,
  constraint disputes_pkey primary key (account_id, livemode, id),
  constraint disputes_network_case_unique unique (account_id, livemode, network_case),
  constraint disputes_status_known check (status in ('needs_response', 'under_review', 'won', 'lost')),
  constraint disputes_amount_positive check (amount > 0),
  constraint disputes_due_at_matches_status check ((status = 'needs_response') = (due_at is not null)),
  constraint disputes_closed_at_matches_status check ((status in ('won', 'lost')) = (closed_at is not null)),
  constraint disputes_inquiry_never_lost check (not is_inquiry or status <> 'lost'),
  constraint disputes_response_after_needs_response check (status <> 'needs_response' or response_due_at is null),
  constraint disputes_reversal_entry_of_won_dispute check (
    reversal_entry_id is null or (status = 'won' and not is_inquiry))
);
create index disputes_by_charge on disputes (account_id, livemode, charge_id, id);
create index disputes_by_deadline on disputes (account_id, livemode, evidence_due_at, id) where status = 'needs_response';
create index disputes_due on disputes (due_at) where due_at is not null;
create index disputes_by_response_due_at on disputes (response_due_at) where response_due_at is not null;

-- The evidence that a merchant prepares for a dispute. The submission deletes it.
create table dispute_drafts (
  account_id  uuid not null,
  livemode    boolean not null,
  dispute_id  uuid not null,
  -- The number of times that the draft was saved. A save names the version that it replaces.
  version     integer not null,
  evidence    jsonb not null,
  updated_at  timestamptz not null,
  constraint dispute_drafts_pkey primary key (account_id, livemode, dispute_id),
  constraint dispute_drafts_dispute_exists foreign key (account_id, livemode, dispute_id) references disputes on delete cascade,
  constraint dispute_drafts_version_positive check (version > 0)
);
create index dispute_drafts_to_expire on dispute_drafts (updated_at);

-- The files that a merchant uploads as evidence. The file IDs in `disputes.evidence` name those that were submitted. An archive
-- of old payments does not contain the files: the deletion of an archived dispute deletes them.
create table dispute_files (
  account_id  uuid not null,
  livemode    boolean not null,
  id          uuid not null,
  dispute_id  uuid not null,
  file_name   text not null,
  media_type  text not null,
  size        integer not null,
  pages       integer not null,
  -- Encrypted. Reading the other columns does not read it, because Postgres stores large values out of line.
  ciphertext  bytea not null,
  constraint dispute_files_pkey primary key (account_id, livemode, id),
  constraint dispute_files_dispute_exists foreign key (account_id, livemode, dispute_id) references disputes on delete cascade,
  constraint dispute_files_media_type_known check (media_type in ('application/pdf', 'image/png', 'image/jpeg')),
  constraint dispute_files_size_range check (size between 1 and 1572864),
  constraint dispute_files_pages_positive check (pages > 0)
);
create index dispute_files_by_dispute on dispute_files (account_id, livemode, dispute_id, id);

-- The 3-D Secure transaction of a charge. The charge's UUID is its threeDSServerTransID. Each transition is a compare-and-set on
-- `revision`, so a reload, a second tab or a restart continues from the stored state. Card numbers are not stored here: they go
-- from the vault to the directory server only.
create table authentications (
  account_id            uuid not null,
  livemode              boolean not null,
  charge_id             uuid not null,
  state                 text not null,
  revision              integer not null,
  -- The version of EMV 3DS.
  version               text not null,
  brand                 text not null,
  method_url            text,
  method_completed      boolean not null default false,
  cardholder_info       text,
  acs_url               text,
  acs_transaction_id    text,
  ds_transaction_id     text,
  -- True if the browser has returned from the challenge with a CRes.
  response_seen         boolean not null default false,
  result                text,
  flow                  text,
  trans_status          text,
  trans_status_reason   text,
  eci                   text,
  -- The cryptogram for the acquirer. Deleted as soon as the charge has used it.
  authentication_value  text,
  -- When a job ends an abandoned authentication. Null once the charge has used the result.
  due_at                timestamptz,
  constraint authentications_pkey primary key (account_id, livemode, charge_id),
  constraint authentications_state_known check (state in
    ('looked_up', 'requested', 'challenged', 'challenging', 'ended')),
  constraint authentications_result_known check (result in
    ('authenticated', 'attempted', 'informational', 'unavailable', 'failed', 'rejected', 'canceled', 'timed_out')),
  constraint authentications_flow_known check (flow in ('frictionless', 'challenge')),
  constraint authentications_trans_status_known check (trans_status in ('Y', 'A', 'N', 'R', 'U', 'I')),
  constraint authentications_result_matches_state check ((state = 'ended') = (result is not null)),
  constraint authentications_acs_url_matches_state check ((state in ('challenged', 'challenging')) = (acs_url is not null)),
  constraint authentications_acs_transaction_id_with_url check ((acs_url is null) = (acs_transaction_id is null)),
  constraint authentications_ds_transaction_id_with_acs_url check (acs_url is null or ds_transaction_id is not null),
  constraint authentications_method_url_before_request check (state = 'looked_up' or method_url is null),
  constraint authentications_response_during_challenge check (state = 'challenging' or not response_seen),
  constraint authentications_outcome_when_ended check (
    state = 'ended' or (trans_status is null and authentication_value is null)),
  constraint authentications_due_until_ended check (due_at is not null or state = 'ended'),
  constraint authentications_value_until_used check (due_at is not null or authentication_value is null),
  -- Only the statuses Y (authenticated) and A (attempted) carry a cryptogram (EMV 3DS).
  constraint authentications_value_needs_y_or_a check (authentication_value is null or trans_status in ('Y', 'A')),
  constraint authentications_success_needs_y_or_a check (
    result not in ('authenticated', 'attempted') or trans_status in ('Y', 'A')),
  constraint authentications_y_is_authenticated check (trans_status is distinct from 'Y' or result = 'authenticated'),
  constraint authentications_a_is_attempted check (trans_status is distinct from 'A' or result = 'attempted')
);
create index authentications_due on authentications (due_at) where due_at is not null;

-- Redirects of cardholders to an acquirer that authenticates them itself, for charges in `requires_action`.
create table acquirer_redirects (
  account_id  uuid not null,
  livemode    boolean not null,
  charge_id   uuid not null,
  url         text not null,
  method      text not null,
  fields      jsonb not null,
  -- Data from the acquirer that is sent back to it after the cardholder has returned.
  resume      text,
  constraint acquirer_redirects_pkey primary key (account_id, livemode, charge_id),
  constraint acquirer_redirects_method_known check (method in ('GET', 'POST'))
);

-- Attempts of a charge that the acquirer certainly did not process. After each of them, the charge was sent over another
-- connection. The last attempt is stored in the charge itself.
create table charge_attempts (
  account_id           uuid not null,
  livemode             boolean not null,
  charge_id            uuid not null,
  assignment_id        uuid not null,
  outcome              text not null,
  -- The reason for the rejection.
  reason               text,
  acquirer_error_code  text,
  ended_at             timestamptz not null,
  constraint charge_attempts_pkey primary key (account_id, livemode, charge_id, assignment_id),
  constraint charge_attempts_outcome_known check (outcome in ('not_sent', 'rejected')),
  constraint charge_attempts_reason_matches_outcome check ((outcome = 'rejected') = (reason is not null))
);

-- The search index of charges, written by a job: one row for a block of consecutive charges, with the words that occur in any
-- of them (docs/decisions/0022-charge-search-uses-block-indexes.md). An index on charges would slow down every charge.
create table charge_search (
  account_id  uuid not null,
  livemode    boolean not null,
  first_id    uuid not null,
  last_id     uuid not null,
  -- The nil UUID in the row that was written when the block was indexed. In other rows, the charge of the block whose words
  -- were added later.
  amends      uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Hashes of each word together with the account and mode. The hashes do not reveal email addresses, and the index on them
  -- needs no other column.
  words       bigint[] not null,
  constraint charge_search_pkey primary key (account_id, livemode, first_id, amends),
  constraint charge_search_block_in_order check (first_id <= last_id)
);
create index charge_search_words on charge_search using gin (words);

create table charge_search_progress (
  account_id   uuid not null,
  livemode     boolean not null,
  -- The last charge in the search index. Newer ones are scanned.
  searched_to  uuid not null,
  constraint charge_search_progress_pkey primary key (account_id, livemode)
);

-- Charges that may have been written after their block was indexed. The job adds their words and deletes the row.
create table charge_search_late (
  account_id  uuid not null,
  livemode    boolean not null,
  charge_id   uuid not null,
  constraint charge_search_late_pkey primary key (account_id, livemode, charge_id)
);

-- Hourly payment metrics. Charts that span months read these rows instead of the charges.
create table payment_hours (
  account_id     uuid not null,
  livemode       boolean not null,
  -- The hour in which the payments were created, in hours since 1970.
  hour           integer not null,
  currency       text not null,
  payments       integer not null,
  succeeded      integer not null,
  failed         integer not null,
  captured       bigint not null,
  -- The steps of these payments: how many belong to a checkout session, used 3-D Secure, were approved or failed after it,
  -- and were captured.
  in_session     integer not null default 0,
  authenticated  integer not null default 0,
  authenticated_approved integer not null default 0,
  authenticated_failed   integer not null default 0,
  captures       integer not null default 0,
  -- The checkout sessions that were created in the hour, and how many of them have a payment.
  sessions       integer not null default 0,
  attempted      integer not null default 0,
  declines       jsonb not null,
  -- A histogram of response times.
  latencies      integer[] not null,
  -- How many of the payments were archived after they were refunded or disputed. The others are counted in `charges`.
  archived_refunded  integer not null default 0,
  archived_disputed  integer not null default 0,
  -- When the hour is counted again, because some of its payments are not final.
  recount_at     timestamptz,
  constraint payment_hours_pkey primary key (account_id, livemode, hour, currency)
);
create index payment_hours_to_recount on payment_hours (recount_at) where recount_at is not null;

create table payment_hours_progress (
  account_id   uuid not null,
  livemode     boolean not null,
  -- The first hour that is not counted yet.
  measured_to  integer not null,
  constraint payment_hours_progress_pkey primary key (account_id, livemode)
);


-- Ledger, balances and payouts

create type ledger_account as enum
  ('acquirer_receivable', 'merchant_balance', 'settlement_clearing', 'fee_income', 'dispute_reserve', 'payout_clearing',
   'bank');

-- Append-only. A transfer has a debit, a credit and one amount, so the ledger is always balanced.
create table ledger_transfers (
  account_id  uuid not null,
  livemode    boolean not null,
  -- Shared by the transfers of one business event: the id of the balance transaction. For a payment it is the charge's UUID,
  -- so no payment can be posted twice.
  entry_id    uuid not null,
  line        smallint not null,
  kind        transfer_kind not null,
  debit       ledger_account not null,
  credit      ledger_account not null,
  amount      positive_amount not null,
  currency    text not null,
  -- The charge, refund, dispute or payout that caused the transfer.
  source_id   uuid not null,
  -- Assigned when a row is inserted, so positions can differ from the order of commits. The checkpoints sum all transfers up to
  -- one position.
  position    bigint not null generated always as identity,
  constraint ledger_transfers_pkey primary key (account_id, livemode, entry_id, line),
  constraint ledger_transfers_sides_differ check (debit <> credit)
);
-- Most entries belong to payments. The others are listed by kind.
create index ledger_transfers_by_kind on ledger_transfers (account_id, livemode, kind, entry_id)
  where kind not in ('charge', 'fee');
-- Finds the newest transfers. Inserts append to the end of the index, which is cheap. A BRIN index would be cheaper still, but
-- the planner uses it only with statistics that a new table does not have.
create index ledger_transfers_by_position on ledger_transfers (position);

-- The ledger position up to which balance_checkpoints contains the transfers. One row.
create table balance_checkpoint_progress (
  singleton  boolean not null default true,
  position   bigint not null,
  constraint balance_checkpoint_progress_pkey primary key (singleton),
  constraint balance_checkpoint_progress_one_row check (singleton)
);
insert into balance_checkpoint_progress (position) values (0);

-- Merchants' balances at the position in balance_checkpoint_progress, so that reading a balance does not sum years of transfers
-- (docs/decisions/0018).
create table balance_checkpoints (
  account_id     uuid not null,
  livemode       boolean not null,
  currency       text not null,
  -- The hour of capture, from which the settlement delay is counted. -infinity for amounts without a delay and for payments
  -- whose delay has passed. infinity for live payments that the acquirer has not settled yet, and for the transfers that reduce
  -- this pending balance.
  captured_hour  timestamptz not null,
  amount         bigint not null,
  constraint balance_checkpoints_pkey primary key (account_id, livemode, currency, captured_hour)
);

-- Archives of payments (docs/decisions/0053-old-payments-are-archived-as-csv.md). The files of an archive contain the rows that
-- were deleted from the database.
create table archives (
  account_id       uuid not null,
  livemode         boolean not null,
  id               uuid not null,
  charges          integer not null,
  deleted_rows     bigint not null,
  bytes            bigint not null,
  -- The SHA-256 of the manifest, which contains those of the files.
  manifest_sha256  bytea not null,
  constraint archives_pkey primary key (account_id, livemode, id),
  constraint archives_account_exists foreign key (account_id) references accounts,
  constraint archives_manifest_is_sha256 check (length(manifest_sha256) = 32)
);

-- The time before which an account's charges may be archived.
create table archive_horizons (
  account_id  uuid not null,
  livemode    boolean not null,
  before      timestamptz not null,
  constraint archive_horizons_pkey primary key (account_id, livemode),
  constraint archive_horizons_account_exists foreign key (account_id) references accounts
);

-- The sums of the archived ledger transfers. The balance checkpoints include them, so that balances can be computed again.
create table archived_transfers (
  account_id  uuid not null,
  livemode    boolean not null,
  currency    text not null,
  kind        text not null,
  debit       ledger_account not null,
  credit      ledger_account not null,
  transfers   bigint not null,
  amount      bigint not null,
  constraint archived_transfers_pkey primary key (account_id, livemode, currency, kind, debit, credit)
);

create table payouts (
  account_id        uuid not null,
  livemode          boolean not null,
  id                uuid not null,
  status            text not null,
  version           integer not null default 1,
  amount            bigint not null,
  currency          text not null,
  -- The day of a scheduled payout. Null for a requested one.
  day               date,
  -- The number of the part. A day's payout is split if it exceeds the maximum of one payout.
  part              smallint not null default 1,
  -- For a scheduled payout, the time before which a payment must be captured to be available for it. It is stored, because
  -- accounts.settlement_days can change later.
  captured_before   timestamptz,
  description       text,
  metadata          jsonb not null default '{}',
  failure_code      text,
  failure_entry_id  uuid,
  arrives_at        timestamptz not null,
  -- When the next status inquiry at the bank is due. Null in a final state.
  due_at            timestamptz,
  constraint payouts_pkey primary key (account_id, livemode, id),
  constraint payouts_status_known check (status in ('pending', 'in_transit', 'paid', 'failed')),
  constraint payouts_amount_positive check (amount > 0),
  constraint payouts_part_counts_from_one check (part >= 1),
  constraint payouts_captured_before_of_scheduled_payout check ((captured_before is null) = (day is null)),
  constraint payouts_due_until_final check ((status in ('pending', 'in_transit')) = (due_at is not null)),
  constraint payouts_failure_matches_status check (
    (status = 'failed') = (failure_code is not null and failure_entry_id is not null))
);
-- A day's payout is created once, however many servers run the schedule.
create unique index payouts_scheduled_once_a_day on payouts (account_id, livemode, currency, day, part) where day is not null;
create index payouts_due on payouts (due_at) where due_at is not null;


-- An account's share, in one currency, of a batch that a live acquirer settled. The ledger contains the transfers for these
-- amounts. A corrected report adds a row with the differences.
create table settlements (
  account_id        uuid not null,
  livemode          boolean not null,
  id                uuid not null,
  version           integer not null default 1,
  connection_id     uuid not null,
  merchant_account  text not null,
  batch             text not null,
  currency          text not null,
  part              smallint not null,
  -- Payments, after our fees, that became available for payout.
  settled           bigint not null,
  -- The acquirer's fees.
  fees              bigint not null,
  -- The change of the balance by conversions to another currency.
  converted         bigint not null,
  -- The amount that the acquirer owes for the lines of the batch, and the account's part of the payout of the batch. The payout
  -- has the UUID of this row.
  net               bigint not null,
  paid              bigint not null,
  -- The balance transactions of the fees and the conversions.
  fee_entry_id         uuid,
  conversion_entry_id  uuid,
  constraint settlements_pkey primary key (account_id, livemode, id),
  constraint settlements_account_exists foreign key (account_id) references accounts,
  -- Only one of two servers that post the same batch at the same time succeeds.
  constraint settlements_posted_once unique (account_id, livemode, connection_id, merchant_account, batch, currency, part),
  constraint settlements_paid_not_negative check (paid >= 0)
);


-- Events and webhooks

-- Written in the transaction of the state change. The body is rendered once: the same bytes are signed and sent.
create table events (
  account_id  uuid not null,
  livemode    boolean not null,
  id          uuid not null,
  type        text not null,
  object_id   uuid not null,
  body        text not null,
  constraint events_pkey primary key (account_id, livemode, id)
) partition by range (id);
-- Rows are only inserted. The vacuum that Postgres runs after inserts would write 1.4 KB of WAL for each event, about as much as
-- the insert, although the week is dropped later (docs/decisions/0054-expired-keys-and-vacuums.md).
create table events_default partition of events default with (autovacuum_vacuum_insert_threshold = -1);
-- The final events of a payment are found by the time of the payment's outcome instead (server/src/insights/timeline). An index
-- entry for each of them would slow down every charge.
create index events_by_object on events (account_id, livemode, object_id, id)
  where type not in ('payment.succeeded', 'payment_failed', 'checkout_session.completed');
create index events_by_type on events (account_id, livemode, type, id)
  where type not in ('payment.succeeded', 'payment_failed', 'checkout_session.completed');

-- Finds the events that people are notified of. They are rare.
create index events_to_notify on events (id)
  where type in ('dispute.opened', 'payout.failed', 'webhook_endpoint.disabled');

create table webhook_endpoints (
  account_id                  uuid not null,
  livemode                    boolean not null,
  id                          uuid not null,
  url                         text not null,
  enabled_events              text[] not null,
  description                 text,
  status                      text not null default 'enabled',
  metadata                    jsonb not null default '{}',
  -- The signing secret, encrypted by the key provider. The secret before a rotation stays valid for a while.
  secret                      bytea not null,
  previous_secret             bytea,
  previous_secret_expires_at  timestamptz,
  -- The start of the current series of failed attempts. Null after a success.
  failing_since               timestamptz,
  -- The circuit breaker: consecutive failures, and the time until which nothing is sent. Afterwards one delivery probes the
  -- endpoint.
  failures                    integer not null default 0,
  backoff_until                timestamptz,
  -- The last failed attempt, in the form of an entry of webhook_deliveries.log. Null after a success.
  last_failure                jsonb,
  version                     integer not null default 1,
  constraint webhook_endpoints_pkey primary key (account_id, livemode, id),
  constraint webhook_endpoints_account_exists foreign key (account_id) references accounts,
  constraint webhook_endpoints_status_known check (status in ('enabled', 'disabled')),
  constraint webhook_endpoints_enabled_events_not_empty check (cardinality(enabled_events) > 0),
  constraint webhook_endpoints_previous_secret_expires check (
    (previous_secret is null) = (previous_secret_expires_at is null))
);

-- Finds the endpoints that fail.
create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null;

create table webhook_deliveries (
  account_id       uuid not null,
  livemode         boolean not null,
  id               uuid not null,
  event_id         uuid not null,
  endpoint_id      uuid not null,
  status           delivery_status not null,
  -- Attempts of the current schedule, counted before the request is sent. A resend starts at zero.
  attempts         smallint not null default 0,
  -- When the next attempt is due. Null unless the delivery is pending. A claim sets it to the end of the lease, so that the
  -- deliveries of a dead process become due again.
  next_attempt_at  timestamptz,
  -- The server process that holds the lease until next_attempt_at. The two columns together are the fencing token. If a
  -- delivery is due and still claimed, the outcome of its last attempt is unknown.
  claimed_by       integer,
  -- The attempts: [{at, duration_ms, status_code, failure: {code, message}, response}].
  log              jsonb not null default '[]',
  constraint webhook_deliveries_pkey primary key (account_id, livemode, id),
  constraint webhook_deliveries_attempts_range check (attempts between 0 and 10),
  constraint webhook_deliveries_next_attempt_while_pending check ((status = 'pending') = (next_attempt_at is not null)),
  constraint webhook_deliveries_claimed_while_pending check (claimed_by is null or status = 'pending')
) partition by range (id);
create table webhook_deliveries_default partition of webhook_deliveries default;
-- Claims alternate between the endpoints, so that a long queue of one endpoint does not delay the others.
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_given_up on webhook_deliveries (account_id, livemode, endpoint_id, id)
  where status = 'given_up';

-- Returns a delivery's id: the event's id, with a hash of the endpoint in the last 48 bits. Deliveries therefore sort by time,
-- and the statement that finalizes charges can insert them without reading the endpoints first.
create function delivery_id(event_id uuid, endpoint_id uuid) returns uuid
  language sql immutable strict parallel safe
  return overlay(event_id::text placing substr(md5(event_id::text || endpoint_id::text), 1, 12) from 25)::uuid;


-- Reconciliation (docs/operating/reconciliation.md)

-- The acquirer's settlement files. Lines are inserted in batches and ignored until the file is complete.
create table settlement_files (
  account_id  uuid not null,
  livemode    boolean not null,
  id          uuid not null,
  day         date not null,
  processor   text not null,
  state       text not null,
  -- The file contains all lines posted before this time.
  until       timestamptz,
  -- The difference between the file's totals and its lines. Null when they agree.
  mismatch    text,
  constraint settlement_files_pkey primary key (account_id, livemode, id),
  constraint settlement_files_account_exists foreign key (account_id) references accounts,
  constraint settlement_files_state_known check (state in ('receiving', 'received')),
  constraint settlement_files_until_matches_state check ((state = 'received') = (until is not null))
);
-- A corrected file from the acquirer replaces the earlier file of the day.
create unique index settlement_files_one_received_a_day on settlement_files (account_id, livemode, day)
  where state = 'received';

create table settlement_lines (
  account_id  uuid not null,
  livemode    boolean not null,
  file_id     uuid not null,
  line        integer not null,
  type        text not null,
  -- The type of object that the line refers to, and the object's UUID. For a dispute, it is the UUID of the network's case.
  noun        text not null,
  subject     uuid not null,
  reference   text not null,
  posted_at   timestamptz not null,
  currency    text not null,
  amount      bigint not null,
  fee         bigint not null,
  constraint settlement_lines_pkey primary key (account_id, livemode, file_id, line),
  constraint settlement_lines_type_known check (type in
    ('capture', 'capture_reversal', 'refund', 'refund_return', 'chargeback', 'chargeback_return', 'second_chargeback')),
  constraint settlement_lines_noun_known check (noun in ('charge', 'refund', 'dispute'))
);
create index settlement_lines_by_subject on settlement_lines (account_id, livemode, noun, subject);

create table reconciliations (
  account_id        uuid not null,
  livemode          boolean not null,
  id                uuid not null,
  day               date not null,
  status            text not null,
  processor         text not null,
  checked_at        timestamptz not null,
  complete_until    timestamptz,
  failure_message   text,
  open_count        integer not null default 0,
  in_transit_count  integer not null default 0,
  -- The totals of the file, by currency.
  settled           jsonb not null default '[]',
  constraint reconciliations_pkey primary key (account_id, livemode, id),
  constraint reconciliations_one_a_day unique (account_id, livemode, day),
  constraint reconciliations_account_exists foreign key (account_id) references accounts,
  constraint reconciliations_status_known check (status in
    ('balanced', 'in_transit', 'differences', 'file_missing', 'file_unreadable')),
  constraint reconciliations_failure_message_matches_status check (
    (status in ('file_missing', 'file_unreadable')) = (failure_message is not null))
);

create table reconciliation_differences (
  account_id  uuid not null,
  livemode    boolean not null,
  id          uuid not null,
  -- The reconciliations that found and closed it.
  found_by    uuid not null,
  closed_by   uuid,
  status      text not null,
  kind        text not null,
  -- As in settlement_lines.
  noun        text not null,
  subject     uuid not null,
  reference   text not null,
  -- The amount of the object according to the payment, the acquirer and the ledger: {state, amount, currency}. Null if that
  -- side has no record of the object.
  payment     jsonb,
  acquirer    jsonb,
  ledger      jsonb,
  constraint reconciliation_differences_pkey primary key (account_id, livemode, id),
  constraint reconciliation_differences_status_known check (status in ('in_transit', 'open', 'closed')),
  constraint reconciliation_differences_kind_known check (kind in
    ('missing_at_acquirer', 'missing_here', 'amount_differs', 'currency_differs', 'state_differs',
     'duplicate_line', 'ledger_missing', 'ledger_differs', 'ledger_unexplained', 'event_missing', 'totals_differ')),
  constraint reconciliation_differences_noun_known check (noun in ('charge', 'refund', 'dispute', 'file')),
  constraint reconciliation_differences_closed_by_matches_status check ((status = 'closed') = (closed_by is not null))
);
-- A difference is not reported again until it is closed.
create unique index reconciliation_differences_reported_once
  on reconciliation_differences (account_id, livemode, noun, subject, kind) where status <> 'closed';


-- Underwriting and operators

-- An account's application for live mode. Each account has at most one. It concerns live mode only, so the table has no
-- `livemode` column.
create table applications (
  account_id     uuid not null,
  status         text not null,
  -- Increases with each change. A change names the version that it is based on.
  version        integer not null,
  -- The operator's requests for more information: [{section, message}].
  requests       jsonb not null default '[]',
  submitted_at   timestamptz,
  decided_at     timestamptz,
  -- The reason for a rejection. It is shown to the merchant.
  decision_note  text,
  constraint applications_pkey primary key (account_id),
  constraint applications_account_exists foreign key (account_id) references accounts,
  constraint applications_status_known check (status in
    ('draft', 'submitted', 'in_review', 'more_information_needed', 'approved', 'rejected')),
  constraint applications_submitted_at_matches_status check ((status = 'draft') = (submitted_at is null)),
  constraint applications_decided_at_matches_status check ((status in ('approved', 'rejected')) = (decided_at is not null)),
  constraint applications_rejected_with_note check ((status = 'rejected') = (decision_note is not null)),
  constraint applications_requests_match_status check ((status = 'more_information_needed') = (requests <> '[]'))
);
-- The review queue, oldest first.
create index applications_to_review on applications (submitted_at)
  where status in ('submitted', 'in_review', 'more_information_needed');

-- The merchant's answers in each section of the application. They are encrypted by the key provider, because they contain
-- names, dates of birth and bank account numbers.
create table application_sections (
  account_id  uuid not null,
  section     text not null,
  ciphertext      bytea not null,
  saved_at    timestamptz not null,
  constraint application_sections_pkey primary key (account_id, section),
  constraint application_sections_application_exists foreign key (account_id) references applications,
  constraint application_sections_section_known check (section in
    ('business', 'people', 'bank_account', 'products', 'website'))
);

create table application_documents (
  account_id  uuid not null,
  id          uuid not null,
  kind        text not null,
  file_name   text not null,
  media_type  text not null,
  size        integer not null,
  -- Encrypted. Reading the other columns does not read it, because Postgres stores large values out of line.
  ciphertext      bytea not null,
  constraint application_documents_pkey primary key (account_id, id),
  constraint application_documents_application_exists foreign key (account_id) references applications,
  constraint application_documents_media_type_known check (media_type in ('application/pdf', 'image/png', 'image/jpeg')),
  constraint application_documents_size_range check (size between 1 and 5242880)
);

-- The transitions of an application and its account, and operators' notes, which only operators see.
create table application_history (
  account_id  uuid not null,
  id          uuid not null,
  -- The transition. Null for a note.
  transition  text,
  -- An operator, or a person of the merchant's team.
  person_id   uuid not null,
  text        text,
  constraint application_history_pkey primary key (account_id, id),
  constraint application_history_account_exists foreign key (account_id) references accounts,
  constraint application_history_transition_or_note check (transition is not null or text is not null)
);

-- The items of an application that an operator has checked.
create table application_checks (
  account_id  uuid not null,
  item        text not null,
  person_id   uuid not null,
  checked_at  timestamptz not null,
  constraint application_checks_pkey primary key (account_id, item),
  constraint application_checks_account_exists foreign key (account_id) references accounts
);

-- An operator's change that waits for the confirmation of a second operator (FLORIN_FOUR_EYES).
create table operator_proposals (
  id           uuid not null,
  kind         text not null,
  -- Null for a change that concerns no account.
  account_id   uuid,
  -- The change as proposed, and the state that the proposer saw.
  details      jsonb not null,
  reason       text not null,
  status       text not null,
  proposed_by  uuid not null,
  expires_at   timestamptz not null,
  decided_by   uuid,
  decided_at   timestamptz,
  constraint operator_proposals_pkey primary key (id),
  constraint operator_proposals_account_exists foreign key (account_id) references accounts,
  constraint operator_proposals_proposer_exists foreign key (proposed_by) references people,
  constraint operator_proposals_decider_exists foreign key (decided_by) references people,
  constraint operator_proposals_kind_known check (kind in
    ('approve_application', 'change_terms', 'add_operator', 'reset_operator_factor', 'reset_member_factor',
     'activate_connection', 'create_assignment', 'change_assignment')),
  constraint operator_proposals_status_known check (status in
    ('pending', 'confirmed', 'rejected', 'withdrawn', 'expired', 'obsolete')),
  constraint operator_proposals_decided_at_matches_status check ((status = 'pending') = (decided_at is null)),
  constraint operator_proposals_decided_by_matches_status check (
    (decided_by is null) = (status in ('pending', 'expired', 'obsolete'))),
  constraint operator_proposals_four_eyes check (status <> 'confirmed' or decided_by <> proposed_by),
  constraint operator_proposals_withdrawn_by_proposer check (status <> 'withdrawn' or decided_by = proposed_by)
);
create index operator_proposals_pending on operator_proposals (expires_at) where status = 'pending';

-- Runs of `florin verify` that an operator requested, and the daily searches for card data outside the vault
-- (docs/operating/card-data.md). A job executes them, because they may take minutes, and stores the reports.
create table checker_runs (
  id            uuid not null,
  kind          text not null,
  -- The operator. Null for a scheduled run, which has a day instead.
  requested_by  uuid,
  day           date,
  -- The end of the lease of the server that is executing the run. After this time, another server may start the run again.
  leased_until  timestamptz,
  ended_at      timestamptz,
  report        jsonb,
  error         text,
  constraint checker_runs_pkey primary key (id),
  -- Only one of several servers inserts the scheduled run of a day.
  constraint checker_runs_one_per_day unique (kind, day),
  constraint checker_runs_kind_known check (kind in ('consistency', 'card_data')),
  constraint checker_runs_requested_or_scheduled check ((requested_by is null) = (day is not null)),
  constraint checker_runs_ended_with_result check ((ended_at is null) = (report is null and error is null))
);
create index checker_runs_open on checker_runs (kind, id) where ended_at is null;


-- Connections to live acquirers
--
-- The operator's accounts at acquirers. They serve live mode only. An assignment connects a merchant's account with a
-- connection.

create table processor_connections (
  id                            uuid not null,
  processor                     text not null,
  name                          text not null,
  -- The acquirer's environment. A sandbox connection moves no real money.
  environment                   text not null,
  state                         text not null default 'draft',
  -- The random part of the URL to which the acquirer sends notifications.
  endpoint_key                  text not null,
  -- The acquirer's identifiers that are not secret, such as the merchant account.
  settings                      jsonb not null,
  -- The maximum rate of requests to the acquirer. Null: no limit.
  requests_per_second           integer,
  -- API key and notification key, encrypted by the key provider. The secrets before a rotation stay valid for a while.
  secrets                       bytea,
  previous_secrets              bytea,
  previous_secrets_until        timestamptz,
  -- The number of times that secrets were stored.
  secrets_version               integer not null default 0,
  secrets_configured_at         timestamptz,
  -- The last successful connection test, with the version of the secrets that it used.
  test_passed_at                timestamptz,
  test_passed_secrets_version   integer,
  -- The problem that the last connection test found. Null if it found none.
  test_problem                  text,
  -- The time of the first notification that was verified with the secrets whose version is in the next column.
  notification_seen_at          timestamptz,
  notification_secrets_version  integer,
  suspended_reason              text,
  -- The last time that `florin certify` passed against the acquirer's sandbox.
  certified_at                  timestamptz,
  -- The connector that passed, with the version of the acquirer's API, and the number of checks that it passed.
  certified_connector           text,
  certified_checks              integer,
  version                       integer not null default 1,
  constraint processor_connections_pkey primary key (id),
  constraint processor_connections_endpoint_key_unique unique (endpoint_key),
  constraint processor_connections_endpoint_key_form check (endpoint_key ~ '^[A-Za-z0-9_-]{32}$'),
  constraint processor_connections_processor_known check (processor in ('adyen', 'stripe')),
  constraint processor_connections_environment_known check (environment in ('sandbox', 'live')),
  constraint processor_connections_state_known check (state in
    ('draft', 'tested', 'active', 'suspended', 'draining', 'retired')),
  constraint processor_connections_merchant_account check (coalesce(settings ->> 'merchant_account', '') <> ''),
  -- The URL of Adyen's live environment begins with a prefix that is specific to the company. Other acquirers have none.
  constraint processor_connections_live_prefix check (
    (processor = 'adyen' and environment = 'live') = (coalesce(settings ->> 'live_prefix', '') <> '')),
  constraint processor_connections_requests_per_second_range check (requests_per_second between 1 and 10000),
  -- A retired connection keeps no secrets.
  constraint processor_connections_secrets_match_state check (
    (secrets is null) = (secrets_version = 0 or state = 'retired')),
  constraint processor_connections_secrets_configured_at check ((secrets_configured_at is null) = (secrets_version = 0)),
  constraint processor_connections_previous_secrets_expire check (
    (previous_secrets is null) = (previous_secrets_until is null)),
  constraint processor_connections_previous_secrets_have_successor check (
    previous_secrets is null or secrets is not null),
  constraint processor_connections_test_complete check (
    (test_passed_at is null) = (test_passed_secrets_version is null)),
  -- Payments are sent only with secrets that a connection test has verified.
  constraint processor_connections_tested_with_these_secrets check (
    state not in ('tested', 'active') or coalesce(test_passed_secrets_version = secrets_version, false)),
  constraint processor_connections_notification_complete check (
    (notification_seen_at is null) = (notification_secrets_version is null)),
  -- Without notifications the outcomes of captures and refunds would stay unknown.
  constraint processor_connections_active_receives_notifications check (
    state not in ('active', 'suspended', 'draining') or notification_seen_at is not null),
  constraint processor_connections_certification_complete check (
    num_nulls(certified_at, certified_connector, certified_checks) in (0, 3)),
  -- Live connections charge real cards, so the checks run on sandboxes only.
  constraint processor_connections_certified_in_sandbox check (certified_at is null or environment = 'sandbox'),
  constraint processor_connections_suspended_reason_matches_state check (
    (state = 'suspended') = (suspended_reason is not null))
);

create table processor_assignments (
  account_id        uuid not null,
  id                uuid not null,
  connection_id     uuid not null,
  -- The merchant's account at the acquirer.
  merchant_account  text not null,
  -- The merchant category code (ISO 18245).
  mcc               text not null,
  -- The text on the cardholder's bank statement. Null: the text of the merchant account.
  descriptor        text,
  -- The acquirer's BIN, for 3-D Secure.
  acquirer_bin      text,
  -- Conditions on the charges that the assignment is used for. A null column does not restrict the charges.
  currencies        text[],
  networks          text[],
  -- The countries of issuers.
  countries         text[],
  -- The lowest number is tried first.
  priority          smallint not null,
  state             text not null default 'active',
  ended_at          timestamptz,
  version           integer not null default 1,
  constraint processor_assignments_pkey primary key (account_id, id),
  constraint processor_assignments_account_exists foreign key (account_id) references accounts,
  constraint processor_assignments_connection_exists foreign key (connection_id) references processor_connections,
  constraint processor_assignments_merchant_account_not_empty check (merchant_account <> ''),
  constraint processor_assignments_mcc_form check (mcc ~ '^[0-9]{4}$'),
  constraint processor_assignments_descriptor_form check (descriptor ~ '^[a-zA-Z0-9 .,''_?+*/-]{1,22}$'),
  constraint processor_assignments_acquirer_bin_form check (acquirer_bin ~ '^[0-9]{6,11}$'),
  constraint processor_assignments_currencies_not_empty check (cardinality(currencies) > 0),
  constraint processor_assignments_networks_not_empty check (cardinality(networks) > 0),
  constraint processor_assignments_countries_not_empty check (cardinality(countries) > 0),
  constraint processor_assignments_priority_range check (priority between 0 and 1000),
  constraint processor_assignments_state_known check (state in ('active', 'ended')),
  constraint processor_assignments_ended_at_matches_state check ((state = 'ended') = (ended_at is not null))
);
create index processor_assignments_by_connection on processor_assignments (connection_id, account_id, id);


-- Changes of configuration

-- The accounts whose configuration has changed. Servers cache keys, accounts, roles, rules, lists and webhook endpoints, and
-- the connections to acquirers with their assignments. They read these rows several times a second to drop what has changed
-- (docs/decisions/0049-configuration-is-cached-until-it-changes.md).
create table configuration_changes (
  -- The transaction of the change. Transactions commit in another order than their IDs, so a server continues at the oldest
  -- transaction that is still running.
  transaction_id  xid8 not null default pg_current_xact_id(),
  -- Null for a change of a connection or an assignment, which each server caches together for all accounts.
  account_id      uuid,
  changed_at      timestamptz not null default clock_timestamp(),
  constraint configuration_changes_once unique nulls not distinct (transaction_id, account_id)
);

-- Records a change of the account in the column with the given name, or of all accounts without a name. Wakes the servers
-- after the commit.
create function record_configuration_change() returns trigger language plpgsql as $$
declare
  changed jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  insert into configuration_changes (account_id) values ((changed ->> tg_argv[0])::uuid) on conflict do nothing;
  notify configuration_changes;
  return null;
end $$;

create trigger accounts_changed after update on accounts
  for each row execute function record_configuration_change('id');
create trigger account_settings_changed after insert or update on account_settings
  for each row execute function record_configuration_change('account_id');
create trigger applications_changed after insert or update on applications
  for each row execute function record_configuration_change('account_id');
create trigger api_keys_changed after delete or update of name, permissions, expires_at, revoked_at on api_keys
  for each row execute function record_configuration_change('account_id');
create trigger members_changed after delete or update on members
  for each row execute function record_configuration_change('account_id');
-- Each change of rules or lists increments this revision once.
create trigger rule_set_revisions_changed after insert or update on rule_set_revisions
  for each row execute function record_configuration_change('account_id');
create trigger webhook_endpoints_deleted after delete on webhook_endpoints
  for each row execute function record_configuration_change('account_id');
-- Failures of a failing endpoint are counted with each attempt and change nothing else.
create trigger webhook_endpoints_changed after update on webhook_endpoints
  for each row
  when ((old.url, old.status, old.enabled_events, old.secret, old.previous_secret, old.previous_secret_expires_at,
         old.failing_since)
        is distinct from
        (new.url, new.status, new.enabled_events, new.secret, new.previous_secret, new.previous_secret_expires_at,
         new.failing_since))
  execute function record_configuration_change('account_id');
create trigger processor_connections_changed after insert or update on processor_connections
  for each row execute function record_configuration_change();
create trigger processor_assignments_changed after insert or update on processor_assignments
  for each row execute function record_configuration_change();


-- The simulator
--
-- The simulated acquirer, directory server and issuer. They stand in for external systems: the service calls them only through
-- ports (acquiring/processor.ts), and `florin verify` compares their ledgers with ours.

create schema simulator;

create domain simulator.authorization_state as text constraint authorization_state_known
  check (value in ('approved', 'declined', 'pending', 'reversed'));
create domain simulator.authorization_outcome as text constraint authorization_outcome_known
  check (value in ('approved', 'declined'));
-- The results for security code, address line and postal code: p(ass), f(ail), u(navailable), - (not given).
create domain simulator.card_checks as text constraint card_checks_format check (value ~ '^[pfu-]{3}$');

create table simulator.authorizations (
  merchant         uuid not null,
  -- The caller's idempotency reference: the charge's UUID.
  reference        uuid not null,
  amount           bigint not null,
  approved         bigint not null,
  currency         text not null,
  captured         boolean not null,
  state            simulator.authorization_state not null,
  -- The later outcome of a pending authorization, and its time.
  pending_outcome  simulator.authorization_outcome,
  resolves_at      timestamptz,
  decline_code     text,
  checks           simulator.card_checks not null default '---',
  -- The times of the capture and of its reversal. Settlement files are generated from them.
  captured_at      timestamptz,
  reversed_at      timestamptz,
  constraint authorizations_pkey primary key (merchant, reference),
  constraint authorizations_outcome_while_pending check ((state = 'pending') = (pending_outcome is not null)),
  constraint authorizations_outcome_has_time check ((pending_outcome is null) = (resolves_at is null))
);

-- Captures, voids and refunds of an approved authorization.
create table simulator.operations (
  merchant                 uuid not null,
  -- The caller's idempotency reference: the operation's UUID.
  reference                uuid not null,
  authorization_reference  uuid not null,
  kind                     text not null,
  amount                   bigint not null,
  currency                 text not null,
  state                    text not null,
  decline_code             text,
  -- The state that the operation changes to at `notify_at`.
  pending_outcome          text,
  -- When the caller is notified. Null after the notification, or if none is due.
  notify_at                timestamptz,
  -- When the operation took effect, and when a refund was returned after that.
  completed_at             timestamptz,
  returned_at              timestamptz,
  constraint operations_pkey primary key (merchant, reference),
  constraint operations_kind_known check (kind in ('capture', 'void', 'refund')),
  constraint operations_state_known check (state in ('done', 'declined', 'pending')),
  constraint operations_outcome_known check (pending_outcome in ('done', 'declined')),
  constraint operations_pending_has_outcome check (state <> 'pending' or pending_outcome is not null),
  constraint operations_outcome_has_time check (pending_outcome is null or notify_at is not null)
);
create index operations_by_authorization on simulator.operations (merchant, authorization_reference);
create index operations_to_notify on simulator.operations (notify_at) where notify_at is not null;

-- The behavior that a test card prescribes for operations on its authorizations.
create table simulator.operation_behaviors (
  merchant   uuid not null,
  reference  uuid not null,
  behavior  text not null,
  constraint operation_behaviors_pkey primary key (merchant, reference)
);

-- The dispute cases of the simulated network.
create table simulator.cases (
  merchant           uuid not null,
  id                 uuid not null,
  -- The disputed authorization.
  reference          uuid not null,
  amount             bigint,
  reason             text not null,
  is_inquiry         boolean not null,
  state              text not null,
  -- When the acquirer is notified of the state. Null after the notification.
  notify_at          timestamptz,
  -- When an inquiry without a response becomes a dispute.
  escalates_at       timestamptz,
  -- The amount and time of the chargeback, and the time of its reversal.
  chargeback_amount  bigint,
  chargeback_at      timestamptz,
  reversed_at        timestamptz,
  -- The files of the last response that the network received: name, type, size and hash of each.
  evidence_files     jsonb,
  constraint cases_pkey primary key (merchant, id),
  constraint cases_state_known check (state in ('planned', 'open', 'won', 'lost')),
  constraint cases_chargeback_has_time check ((chargeback_amount is null) = (chargeback_at is null)),
  constraint cases_reversal_after_chargeback check (reversed_at is null or chargeback_at is not null)
);
create index cases_to_notify on simulator.cases (notify_at) where notify_at is not null;
create index cases_by_authorization on simulator.cases (merchant, reference);

-- Transfers to merchants' bank accounts.
create table simulator.payouts (
  merchant     uuid not null,
  reference    uuid not null,
  amount       bigint not null,
  currency     text not null,
  has_failed   boolean not null default false,
  -- True once the bank has reported that the payout has arrived. After that, the payout can no longer fail.
  has_arrived  boolean not null default false,
  arrives_at   timestamptz not null,
  constraint payouts_pkey primary key (merchant, reference)
);

-- Transactions of the simulated directory server.
create table simulator.directory_transactions (
  ds_transaction_id               uuid not null,
  three_ds_server_transaction_id  uuid not null,
  -- The URL to which the RReq is sent. Only the directory server has this URL.
  three_ds_server_url             text not null,
  created_at                      timestamptz not null default now(),
  constraint directory_transactions_pkey primary key (ds_transaction_id)
);
-- Rows are deleted by age. A BRIN index costs inserts almost nothing.
create index directory_transactions_by_age on simulator.directory_transactions using brin (created_at)
  with (pages_per_range = 32);

-- Challenges of the simulated issuer. They store the issuer's behavior instead of the card number that determines it.
create table simulator.challenges (
  acs_transaction_id              uuid not null,
  ds_transaction_id               uuid not null,
  three_ds_server_transaction_id  uuid not null,
  behavior                       text not null,
  brand                           text not null,
  last4                           text not null,
  merchant_name                   text not null,
  amount                          text not null,
  currency                        text not null,
  exponent                        smallint not null,
  notification_url                text not null,
  directory_url                   text not null,
  session_data                    text,
  -- created: before the CReq. displayed: the cardholder has the page. completed: the outcome exists.
  state                           text not null,
  wrong_codes                     smallint not null default 0,
  trans_status                    text,
  challenge_cancel                text,
  -- When the challenge times out, or when the RReq is sent again. Null after its delivery and after the last attempt.
  due_at                          timestamptz,
  result_attempts                 smallint not null default 0,
  created_at                      timestamptz not null default now(),
  constraint challenges_pkey primary key (acs_transaction_id),
  constraint challenges_state_known check (state in ('created', 'displayed', 'completed')),
  constraint challenges_trans_status_known check (trans_status in ('Y', 'N')),
  constraint challenges_cancel_known check (challenge_cancel in ('01', '04', '05')),
  constraint challenges_trans_status_matches_state check ((state = 'completed') = (trans_status is not null))
);
create index challenges_due on simulator.challenges (due_at) where due_at is not null;
create index challenges_by_age on simulator.challenges using brin (created_at) with (pages_per_range = 32);
