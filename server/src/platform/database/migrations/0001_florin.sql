-- Everything a merchant owns is keyed by (account_id, livemode, id): the same schema runs on one machine or
-- sharded by account, and test and live are two worlds that share nothing but the account.
--
-- Ids are UUIDv7, so a primary key is also the order of creation, and `created` is read from the id.
-- States are text with a CHECK: the same truth that the TypeScript unions tell.
--
-- The tables a charge is written to carry no foreign keys among themselves: each would cost a trigger per row
-- on the hot path. `florin verify` checks what they would (docs/decisions/0003-group-commit.md).

create table accounts (
  id                uuid primary key,
  name              text not null,
  country           text not null default 'US',
  status            text not null default 'test_only'
                    check (status in ('test_only', 'approved', 'suspended', 'closed')),
  -- The price of a charge: hundredths of a percent, and a fixed part in the smallest currency unit.
  fee_basis_points  integer not null default 290 check (fee_basis_points between 0 and 10000),
  fee_fixed_minor   integer not null default 30 check (fee_fixed_minor >= 0),
  -- What a dispute costs, whoever wins it.
  dispute_fee_minor integer not null default 1500 check (dispute_fee_minor >= 0),
  -- How long after a payment its money can be paid out, and whether it is, every day.
  settlement_days   smallint not null default 2 check (settlement_days between 0 and 30),
  payout_schedule   text not null default 'manual' check (payout_schedule in ('manual', 'daily')),
  -- Origins that may frame the card form of any session of this account (contract §5).
  allowed_origins   text[] not null default '{}',
  -- When underwriting opened live mode (spec §5.3). It stays when the account is suspended or closed later.
  approved_at       timestamptz,
  was_approved      boolean not null generated always as (approved_at is not null) stored,
  -- What the operator lets this account do beside the settings of the whole service: requests a second, and the largest
  -- charge by currency, in its smallest unit. Null and absent: no limit of its own.
  requests_per_second integer check (requests_per_second between 1 and 10000),
  largest_charges   jsonb not null default '{}',
  version           integer not null default 1,
  -- What live keys refer to.
  unique (id, was_approved),
  check (case status when 'test_only' then approved_at is null when 'closed' then true else approved_at is not null end)
);

create table api_keys (
  -- HMAC-SHA-256 of the key under the pepper; the key itself is shown once and never kept.
  hash        bytea primary key,
  id          uuid not null unique,
  account_id  uuid not null references accounts,
  livemode    boolean not null,
  name        text not null,
  last4       text not null,
  -- What a restricted key may do; null for a secret key, which may do all that keys can.
  permissions text[] check (cardinality(permissions) > 0),
  -- The person who made it; null for one that was there before anybody could.
  created_by  uuid,
  created_at  timestamptz not null,
  -- Written now and then, and not with each request.
  last_used_at timestamptz,
  -- A key that was rolled is good until then beside its successor.
  expires_at  timestamptz,
  revoked_at  timestamptz,
  -- Spec 5.3: live keys are issued after underwriting has approved the account. Here it is true whoever writes.
  live_of_approved boolean generated always as (case when livemode then true end) stored,
  foreign key (account_id, live_of_approved) references accounts (id, was_approved)
);
create index api_keys_by_account on api_keys (account_id, livemode, id);

create table idempotency_keys (
  account_id   uuid not null,
  livemode     boolean not null,
  key          text not null,
  -- SHA-256 of method, path and canonical body.
  fingerprint  bytea not null,
  -- What the request began, so that a retry after a crash finds it and finishes it. Null where the work and
  -- its answer are one transaction.
  charge_id    uuid,
  operation_id uuid,
  created_at   timestamptz not null default now(),
  -- Null while the first request is still running; such a record is never reaped.
  status_code  smallint,
  -- The answer's body; null where it is the object of an event, which need not be kept twice.
  answer       text,
  event_id     uuid,
  primary key (account_id, livemode, key),
  check ((status_code is null) = (answer is null and event_id is null))
)
-- Half of each page is left for the answers, which then need no second entry in the index.
with (fillfactor = 50);

-- Finds the keys whose day is over. They are written in order of time, so a summary of each block of rows is
-- enough, and costs nothing to keep.
create index idempotency_keys_by_age on idempotency_keys using brin (created_at) with (pages_per_range = 32);

create table customers (
  account_id  uuid not null references accounts,
  livemode    boolean not null,
  id          uuid not null,
  email       text,
  name        text,
  metadata    jsonb not null default '{}',
  -- Then who it was is erased, and only the id stays, for charges name it.
  deleted_at  timestamptz,
  primary key (account_id, livemode, id),
  check (deleted_at is null or (email is null and name is null))
);
create index customers_by_email on customers (account_id, livemode, lower(email), id) where email is not null;

-- A card at rest: sealed under a data key of its own, which is wrapped by the key-encryption key `key_id`.
-- The account and the id are bound into the seal, so a row copied to another merchant does not open.
create table vault_cards (
  account_id   uuid not null references accounts,
  livemode     boolean not null,
  id           uuid not null,
  key_id       text not null,
  wrapped_key  bytea not null,
  sealed       bytea not null,
  primary key (account_id, livemode, id)
);

create table payment_methods (
  account_id   uuid not null references accounts,
  livemode     boolean not null,
  -- The same uuid as its card in the vault.
  id           uuid not null,
  -- Whom it is saved for.
  customer_id  uuid,
  -- The session whose card form it was typed into. Until it is saved it pays for no other.
  checkout_session_id uuid,
  -- When its holder agreed to its being saved. It is saved by the first payment that then succeeds.
  consented_at timestamptz,
  -- What the card network calls that payment: it goes along with every later one that the holder is absent from.
  network_transaction_id text,
  -- Where its bills go, as its holder said in the form.
  billing_country text,
  brand        text not null,
  last4        text not null check (last4 ~ '^[0-9]{4}$'),
  exp_month    smallint not null check (exp_month between 1 and 12),
  exp_year     smallint not null,
  funding      text not null,
  country      text,
  -- Those on the card, and the one that its holder chose where there are two.
  networks     text[] not null,
  preferred_network text check (preferred_network = any(networks)),
  fingerprint  text not null,
  metadata     jsonb not null default '{}',
  detached_at  timestamptz,
  primary key (account_id, livemode, id),
  check (customer_id is null or (consented_at is not null and detached_at is null))
);
create index payment_methods_by_customer on payment_methods (account_id, livemode, customer_id, id)
  where customer_id is not null;

-- Decisions a merchant asked for. The one the service makes for a charge without a decision_id stands on the
-- charge itself (decision_outcome, risk_score, decision_reasons) under the charge's own uuid.
create table decisions (
  account_id         uuid not null references accounts,
  livemode           boolean not null,
  id                 uuid not null,
  amount             bigint not null check (amount > 0),
  currency           text not null,
  payment_method_id  uuid not null,
  customer_id        uuid,
  ip                 text,
  email              text,
  metadata           jsonb not null default '{}',
  outcome            text not null check (outcome in ('approve', 'challenge', 'review', 'decline')),
  risk_score         smallint not null check (risk_score between 0 and 100),
  reasons            text[] not null,
  -- Whether the cardholder must be authenticated, whatever the outcome.
  authenticate       boolean not null,
  -- What it was made from, and the rules that held.
  facts              jsonb,
  review             text check (review in ('open', 'approved', 'declined')),
  expires_at         timestamptz not null,
  primary key (account_id, livemode, id),
  check ((outcome = 'review') = (review is not null))
);
-- Whether there is a newer one for the same payment.
create index decisions_by_payment_method on decisions (account_id, livemode, payment_method_id, id);
create index decisions_not_approving on decisions (account_id, livemode, outcome, id) where outcome <> 'approve';

-- What a merchant wants done with payments of a kind: conditions in the Common Expression Language.
create table rules (
  account_id   uuid not null references accounts,
  livemode     boolean not null,
  id           uuid not null,
  expression   text not null,
  outcome      text not null check (outcome in ('approve', 'challenge', 'review', 'decline')),
  status       text not null check (status in ('enabled', 'disabled')),
  description  text,
  metadata     jsonb not null default '{}',
  primary key (account_id, livemode, id)
);

create table list_entries (
  account_id   uuid not null references accounts,
  livemode     boolean not null,
  id           uuid not null,
  list         text not null check (list in ('allow', 'block')),
  attribute    text not null,
  value        text not null,
  expires_at   timestamptz,
  description  text,
  metadata     jsonb not null default '{}',
  primary key (account_id, livemode, id),
  constraint list_entries_once unique (account_id, livemode, list, attribute, value)
);

-- Grows with every change of a merchant's rules and lists, so that servers that have them in memory read them anew.
create table rule_books (
  account_id  uuid not null references accounts,
  livemode    boolean not null,
  revision    bigint not null,
  primary key (account_id, livemode)
);

-- How often a card, an address or a device was seen, by the hour. Servers count in memory and add up here.
create table velocity_counts (
  account_id  uuid not null,
  livemode    boolean not null,
  -- What is counted: a letter for its kind, and the card's fingerprint or a hash.
  subject     text not null,
  -- Hours since 1970.
  hour        integer not null,
  attempts    integer not null,
  declines    integer not null,
  -- Security codes and addresses that were found wrong.
  mismatches  integer not null,
  primary key (account_id, livemode, subject, hour)
);
create index velocity_counts_by_age on velocity_counts using brin (hour) with (pages_per_range = 32);

create table checkout_sessions (
  account_id           uuid not null references accounts,
  livemode             boolean not null,
  id                   uuid not null,
  status               text not null check (status in
                       ('open', 'processing', 'requires_action', 'complete', 'expired', 'canceled', 'failed')),
  payment_status       text not null check (payment_status in ('unpaid', 'authorized', 'paid')),
  amount               bigint not null check (amount > 0),
  currency             text not null,
  capture_method       text not null check (capture_method in ('automatic', 'manual')),
  customer_id          uuid,
  client_reference_id  text,
  -- What the merchant sent and the service only carries: addresses, line items, texts.
  details              jsonb not null,
  metadata             jsonb not null default '{}',
  expires_at           timestamptz not null,
  max_attempts         smallint not null check (max_attempts > 0),
  attempts             smallint not null default 0 check (attempts between 0 and max_attempts),
  charge_id            uuid,
  last_payment_error   jsonb,
  version              integer not null default 1,
  primary key (account_id, livemode, id),
  -- Complete and unpaid is one whose hold was let go.
  check (status = 'complete' or payment_status = 'unpaid')
);
-- The frame's address names only the session.
create index checkout_sessions_by_id on checkout_sessions (id);
create index checkout_sessions_by_reference
  on checkout_sessions (account_id, livemode, client_reference_id, id) where client_reference_id is not null;
create index checkout_sessions_by_customer
  on checkout_sessions (account_id, livemode, customer_id, id) where customer_id is not null;
-- Every session has a time to expire at; the index says so for a reason (see charges_due).
-- Few end so, and nearly all that are listed by status.
create index checkout_sessions_by_rare_status on checkout_sessions (account_id, livemode, status, id)
  where status in ('requires_action', 'expired', 'canceled', 'failed');
create index checkout_sessions_to_expire on checkout_sessions (expires_at) where status = 'open' and expires_at is not null;

create table charges (
  account_id            uuid not null,
  livemode              boolean not null,
  id                    uuid not null,
  status                text not null check (status in
                        ('processing', 'requires_action', 'authorized', 'succeeded', 'failed', 'canceled')),
  pending_reason        text check (pending_reason in
                        ('acquirer_processing', 'outcome_unknown', 'manual_review')),
  -- Set before the acquirer is asked to reverse a charge of unknown outcome. From then on only the reversal
  -- counts: an approval that is heard of in between will not stand, whoever hears of it.
  undoing               boolean not null default false,
  version               integer not null default 1,
  amount                bigint not null check (amount > 0),
  amount_captured       bigint not null default 0,
  -- Given back, or on its way: a refund takes its amount when it is begun, and returns it when it fails.
  amount_refunded       bigint not null default 0,
  -- Taken by disputes that are open or lost.
  amount_disputed       bigint not null default 0,
  currency              text not null,
  capture_method        text not null check (capture_method in ('automatic', 'manual')),
  capture_before        timestamptz,
  processor             text not null,
  payment_method_id     uuid not null,
  -- What may be shown of the card: brand, last4, expiry, funding, country, fingerprint, checks.
  card                  jsonb not null,
  -- The bank's answers on CVC and address; null until the acquirer was asked.
  checks                jsonb,
  three_d_secure        jsonb,
  customer_id           uuid,
  checkout_session_id   uuid,
  -- The decision that the merchant asked for beforehand; null where the service made its own.
  decision_id           uuid,
  decision_outcome      text not null check (decision_outcome in ('approve', 'challenge', 'review', 'decline')),
  risk_score            smallint not null check (risk_score between 0 and 100),
  decision_reasons      text[] not null default '{}',
  -- What the decision was made from beside the charge itself, and the rules that held; null where there was nothing.
  decision_facts        jsonb,
  -- What a person decided on a charge that is held for review.
  review                text check (review in ('approved', 'declined')),
  description           text,
  statement_descriptor  text,
  off_session           boolean not null default false,
  return_url            text,
  metadata              jsonb not null default '{}',
  failure_code          text,
  decline_code          text,
  network_decline_code  text,
  request_id            uuid,
  idempotency_key       text,
  -- The server process that opened the charge: when it dies, another asks the acquirer at once.
  opened_by             integer not null,
  inquiries             smallint not null default 0,
  -- When somebody has to look: to ask the acquirer about an answer that never came, or to end a 3-D Secure
  -- challenge that nobody finished.
  due_at       timestamptz,
  settled_at            timestamptz,
  primary key (account_id, livemode, id),
  -- Never is more paid out than came in, by however many refunds and disputes at once.
  check (amount_refunded >= 0 and amount_disputed >= 0 and amount_refunded + amount_disputed <= amount_captured
         and amount_captured <= amount),
  check ((status = 'failed') = (failure_code is not null)),
  check ((failure_code is null) = (decline_code is null)),
  -- An authorised charge has one while its capture or its release is of unknown outcome.
  check (status in ('processing', 'authorized') or pending_reason is null),
  check (status = 'processing' or not undoing),
  check ((status in ('succeeded', 'failed', 'canceled', 'authorized')) = (settled_at is not null)),
  check ((amount_captured > 0) = (status = 'succeeded')),
  -- Test mode reaches nothing but the simulator, and live mode never reaches it (contract §7).
  check (livemode = (processor <> 'simulator'))
);
-- What is due names its time beside its status. With the status alone, which the writers test as well, an index like
-- these two would be walked from end to end for each charge that is settled, as soon as statistics say that few are open.
-- What was given up is due no more, and stays in it for whoever runs the service: an index of its own would cost every
-- charge a fortieth of its time.
create index charges_due on charges (due_at) where due_at is not null or pending_reason = 'manual_review';
create index charges_to_release on charges (capture_before) where status = 'authorized' and capture_before is not null;
-- What banks declined of each card number, to hold back one that is tried too often (trust: card testing). The fixed
-- test names lie below the uuid and may be declined all day.
create index charges_declined_by_card on charges (account_id, livemode, (card->>'fingerprint'), id)
  where status = 'failed' and checks is not null
    and payment_method_id >= '01000000-0000-0000-0000-000000000000';
-- The queue of reviews.
create index charges_in_review on charges (account_id, livemode, id)
  where decision_outcome = 'review' and status = 'authorized' and review is null;
create index charges_by_session on charges (account_id, livemode, checkout_session_id, id)
  where checkout_session_id is not null;
create index charges_by_customer on charges (account_id, livemode, customer_id, id) where customer_id is not null;
-- The fixed test payment methods (pm_card_visa, …) lie below this uuid; they are not indexed, for in test mode
-- nearly every charge would carry one of them.
create index charges_by_payment_method on charges (account_id, livemode, payment_method_id, id)
  where payment_method_id >= '01000000-0000-0000-0000-000000000000';
-- What is rare needs an index, and one with a condition costs the other charges nothing.
create index charges_by_decline_code on charges (account_id, livemode, decline_code, id) where status = 'failed';
create index charges_not_approved on charges (account_id, livemode, decision_outcome, id)
  where decision_outcome <> 'approve';
create index charges_refunded on charges (account_id, livemode, id) where amount_refunded > 0;
create index charges_disputed on charges (account_id, livemode, id) where amount_disputed > 0;
-- A decision is used once (contract §5); the index is what decides between two charges that arrive together.
create unique index charges_use_a_decision_once on charges (account_id, livemode, decision_id)
  where decision_id is not null;

-- What is done to a charge at the acquirer after it was approved. A refund's uuid is also its operation's, and an
-- operation's is the reference under which the acquirer is asked, so asking twice moves money once.
create table operations (
  account_id       uuid not null,
  livemode         boolean not null,
  id               uuid not null,
  charge_id        uuid not null,
  kind             text not null check (kind in ('capture', 'void', 'refund')),
  status           text not null check (status in ('processing', 'succeeded', 'failed')),
  pending_reason   text check (pending_reason in
                   ('acquirer_processing', 'outcome_unknown', 'manual_review')),
  version          integer not null default 1,
  amount           bigint not null check (amount > 0),
  currency         text not null,
  failure_code     text,
  -- The merchant's words on a refund.
  reason           text,
  metadata         jsonb not null default '{}',
  -- Where the money is given back that a refund did not bring to the cardholder.
  failure_entry_id uuid,
  request_id       uuid,
  idempotency_key  text,
  opened_by        integer not null,
  inquiries        smallint not null default 0,
  due_at           timestamptz,
  primary key (account_id, livemode, id),
  check ((status = 'failed') = (failure_code is not null)),
  check (status = 'processing' or (pending_reason is null and due_at is null)),
  check (failure_entry_id is null or (kind = 'refund' and status = 'failed'))
);
-- A hold is taken or let go, and one of the two at a time. Refunds may be several: each has taken its amount.
create unique index operations_one_open on operations (account_id, livemode, charge_id)
  where kind in ('capture', 'void') and status = 'processing';
create index operations_refunds on operations (account_id, livemode, id) where kind = 'refund';
create index operations_by_charge on operations (account_id, livemode, charge_id, id);
-- As charges_due.
create index operations_due on operations (due_at) where due_at is not null or pending_reason = 'manual_review';

-- A cardholder's objection to a charge; the card network decides it.
create table disputes (
  account_id       uuid not null,
  livemode         boolean not null,
  id               uuid not null,
  charge_id        uuid not null,
  -- The acquirer's own number of the case, under which it is told once.
  network_case     uuid not null,
  status           text not null check (status in ('needs_response', 'under_review', 'won', 'lost')),
  version          integer not null default 1,
  amount           bigint not null check (amount > 0),
  currency         text not null,
  reason           text not null,
  -- Whether the bank only asks: the money is still the merchant's.
  is_inquiry       boolean not null,
  evidence         jsonb,
  evidence_due_at  timestamptz not null,
  -- The answer that the acquirer is to be told, until it has confirmed it.
  answer_due_at    timestamptz,
  reversal_entry_id uuid,
  -- When somebody has to look: nobody answered in time.
  due_at           timestamptz,
  primary key (account_id, livemode, id),
  unique (account_id, livemode, network_case),
  check ((status = 'needs_response') = (due_at is not null)),
  check (not is_inquiry or status <> 'lost'),
  check (status <> 'needs_response' or answer_due_at is null),
  check (reversal_entry_id is null or (status = 'won' and not is_inquiry))
);
create index disputes_by_charge on disputes (account_id, livemode, charge_id, id);
create index disputes_due on disputes (due_at) where due_at is not null;
create index disputes_to_answer on disputes (answer_due_at) where answer_due_at is not null;

-- Money on its way to a merchant's bank account.
create table payouts (
  account_id       uuid not null,
  livemode         boolean not null,
  id               uuid not null,
  status           text not null check (status in ('pending', 'in_transit', 'paid', 'failed')),
  version          integer not null default 1,
  amount           bigint not null check (amount > 0),
  currency         text not null,
  -- The day it was made for by the schedule; null: somebody asked for it.
  day              date,
  description      text,
  metadata         jsonb not null default '{}',
  failure_code     text,
  failure_entry_id uuid,
  arrives_at       timestamptz not null,
  -- When the bank is asked next; null at its end.
  due_at           timestamptz,
  primary key (account_id, livemode, id),
  check ((status in ('pending', 'in_transit')) = (due_at is not null)),
  check ((status = 'failed') = (failure_code is not null and failure_entry_id is not null))
);
-- However many servers keep the schedule, a day's payout is made once.
create unique index payouts_once_a_day on payouts (account_id, livemode, currency, day) where day is not null;
create index payouts_due on payouts (due_at) where due_at is not null;

-- One 3-D Secure transaction for each charge that needs one; the charge's uuid is its threeDSServerTransID. Each step
-- is one compare-and-set on `revision`, so a reload, a second tab or a crash goes on where it stands. Nothing of the
-- card is here: its number goes from the vault to the directory server and nowhere else.
create table authentications (
  account_id            uuid not null,
  livemode              boolean not null,
  charge_id             uuid not null,
  state                 text not null check (state in
                        ('looked_up', 'requested', 'challenged', 'challenging', 'ended')),
  revision              integer not null,
  version               text not null,
  brand                 text not null,
  method_url            text,
  method_completed      boolean not null default false,
  cardholder_info       text,
  acs_url               text,
  acs_transaction_id    text,
  ds_transaction_id     text,
  response_seen         boolean not null default false,
  result                text check (result in
                        ('authenticated', 'attempted', 'informational', 'unavailable', 'failed', 'rejected',
                         'canceled', 'timed_out')),
  flow                  text check (flow in ('frictionless', 'challenge')),
  trans_status          text check (trans_status in ('Y', 'A', 'N', 'R', 'U', 'I')),
  trans_status_reason   text,
  eci                   text,
  -- The cryptogram for the acquirer. It is forgotten as soon as the charge has gone on with it.
  authentication_value  text,
  -- When a job ends what nobody went on with; null when the charge has gone on.
  due_at                timestamptz,
  primary key (account_id, livemode, charge_id),
  check ((state = 'ended') = (result is not null)),
  check ((state in ('challenged', 'challenging')) = (acs_url is not null)),
  check ((acs_url is null) = (acs_transaction_id is null)),
  check (acs_url is null or ds_transaction_id is not null),
  check (state = 'looked_up' or method_url is null),
  check (state = 'challenging' or not response_seen),
  check (state = 'ended' or (trans_status is null and authentication_value is null)),
  check (due_at is not null or state = 'ended'),
  check (due_at is not null or authentication_value is null),
  -- Only a bank's yes, or its attempt at one, carries a cryptogram, and never one without the other (EMV 3DS).
  check (authentication_value is null or trans_status in ('Y', 'A')),
  check (result not in ('authenticated', 'attempted') or trans_status in ('Y', 'A')),
  check (trans_status is distinct from 'Y' or result = 'authenticated'),
  check (trans_status is distinct from 'A' or result = 'attempted')
);
create index authentications_due on authentications (due_at) where due_at is not null;

create type ledger_account as enum
  ('acquirer_receivable', 'merchant_balance', 'fee_income', 'dispute_reserve', 'payout_clearing', 'bank');

-- Append-only. A transfer has two sides and one amount, so the books balance by construction.
create table ledger_transfers (
  account_id  uuid not null,
  livemode    boolean not null,
  -- The transfers of one business event share it: the balance transaction's id, which for a payment is the
  -- charge's own uuid, so that no payment can be posted twice.
  entry_id    uuid not null,
  line        smallint not null,
  kind        text not null check (kind in
              ('charge', 'fee', 'refund', 'refund_failure', 'dispute', 'dispute_fee', 'dispute_reversal',
               'dispute_loss', 'payout', 'payout_failure', 'payout_arrival')),
  debit       ledger_account not null,
  credit      ledger_account not null,
  amount      bigint not null check (amount > 0),
  currency    text not null,
  -- The charge, refund, dispute or payout that moved the money.
  source_id   uuid not null,
  -- Grows with every row that is written, though not in the order of commits: up to where sums are kept.
  position    bigint not null generated always as identity,
  primary key (account_id, livemode, entry_id, line),
  check (debit <> credit)
);
-- Finds the newest. New entries go to its end, which costs least; a BRIN index would cost less still, but whether it
-- is used depends on statistics that a young table does not have.
-- Payments are what most entries are; the others are listed by their kind.
create index ledger_transfers_by_kind on ledger_transfers (account_id, livemode, kind, entry_id)
  where kind not in ('charge', 'fee');
create index ledger_transfers_by_position on ledger_transfers (position);

-- What happened, written with the thing itself. The body is rendered once; the same bytes are signed and sent.
create table events (
  account_id  uuid not null,
  livemode    boolean not null,
  id          uuid not null,
  type        text not null,
  object_id   uuid not null,
  body        text not null,
  primary key (account_id, livemode, id)
);

-- Those that end a payment are found by its time (server/src/timeline); an entry for each would cost every charge.
create index events_by_object on events (account_id, livemode, object_id, id)
  where type not in ('payment.succeeded', 'payment_failed', 'checkout_session.completed');
create index events_by_type on events (account_id, livemode, type, id)
  where type not in ('payment.succeeded', 'payment_failed', 'checkout_session.completed');

create table webhook_endpoints (
  account_id       uuid not null references accounts,
  livemode         boolean not null,
  id               uuid not null,
  url              text not null,
  enabled_events   text[] not null check (cardinality(enabled_events) > 0),
  description      text,
  status           text not null default 'enabled' check (status in ('enabled', 'disabled')),
  metadata         jsonb not null default '{}',
  -- The signing secret, sealed by the key provider; a rolled one stays valid until its hour.
  secret           bytea not null,
  previous_secret  bytea,
  previous_secret_expires_at timestamptz,
  -- Since when every attempt has failed; null after a success.
  failing_since    timestamptz,
  -- The breaker: failures in a row, and until when nothing is sent. Then one delivery tries whether it works again.
  failures         integer not null default 0,
  paused_until     timestamptz,
  version          integer not null default 1,
  primary key (account_id, livemode, id),
  check ((previous_secret is null) = (previous_secret_expires_at is null))
);

create table webhook_deliveries (
  account_id       uuid not null,
  livemode         boolean not null,
  id               uuid not null,
  event_id         uuid not null,
  endpoint_id      uuid not null,
  status           text not null check (status in ('pending', 'succeeded', 'given_up')),
  -- How far it is in the schedule; an attempt is counted before its first byte leaves. A resend starts anew.
  attempts         smallint not null default 0 check (attempts between 0 and 10),
  -- While pending: when the next attempt is due. An attempt in flight moves it ahead by its lease, so a dead
  -- worker's deliveries come due by themselves.
  next_attempt_at  timestamptz,
  -- The server process that holds it, until next_attempt_at: the two together are the fence. Still set when it comes
  -- due, it tells of an attempt whose outcome nobody wrote down.
  claimed_by       integer,
  -- What each attempt met: [{at, duration_ms, status_code, failure: {code, message}, response}].
  log              jsonb not null default '[]',
  primary key (account_id, livemode, id),
  check ((status = 'pending') = (next_attempt_at is not null)),
  check (claimed_by is null or status = 'pending')
);
-- By endpoint first: claims go round the endpoints, so that one with a long queue does not delay the others.
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_given_up on webhook_deliveries (account_id, livemode, endpoint_id, id)
  where status = 'given_up';

-- When the thing with this id was made: the first 48 bits of a UUIDv7 are milliseconds (RFC 9562).
create function created_at(id uuid) returns timestamptz
  language sql immutable strict parallel safe
  return to_timestamp(('x0000' || replace(left(id::text, 13), '-', ''))::bit(64)::bigint / 1000.0);

-- A delivery's id: that of its event, with the endpoint in the last 48 bits, so that deliveries sort by time and
-- the statement that settles charges needs to know no endpoint beforehand.
create function delivery_id(event_id uuid, endpoint_id uuid) returns uuid
  language sql immutable strict parallel safe
  return overlay(event_id::text placing substr(md5(event_id::text || endpoint_id::text), 1, 12) from 25)::uuid;

-- Server processes that are, or were, running. Each holds an advisory lock on its number while it lives.
create table processes (
  number   integer primary key generated always as identity,
  seen_at  timestamptz not null default now()
);

-- The simulated acquirer's own books: an outside system, which the service reads only through its port
-- (acquiring/processor.ts) and the checker compares with ours.
create schema simulator;
create table simulator.authorizations (
  merchant       uuid not null,
  -- The caller's idempotency reference: the charge's uuid.
  reference      uuid not null,
  amount         bigint not null,
  approved       bigint not null,
  currency       text not null,
  captured       boolean not null,
  state          text not null check (state in ('approved', 'declined', 'pending', 'reversed')),
  -- What a pending one becomes, and when.
  becomes        text check (becomes in ('approved', 'declined')),
  becomes_at     timestamptz,
  decline_code   text,
  -- Security code, address line and postal code, a letter each: p(ass), f(ail), u(navailable), - (not given).
  checks         text not null default '---' check (checks ~ '^[pfu-]{3}$'),
  -- When the money was taken, and when a capture was undone: what its settlement files are made of.
  captured_at    timestamptz,
  returned_at    timestamptz,
  primary key (merchant, reference),
  check ((state = 'pending') = (becomes is not null)),
  check ((becomes is null) = (becomes_at is null))
);

-- What was asked of an approval later: to capture it, to let it go, to give it back.
create table simulator.operations (
  merchant       uuid not null,
  -- The caller's idempotency reference: the operation's uuid.
  reference      uuid not null,
  -- The approval it is about.
  authorization_reference uuid not null,
  kind           text not null check (kind in ('capture', 'void', 'refund')),
  amount         bigint not null,
  currency       text not null,
  state          text not null check (state in ('done', 'refused', 'pending')),
  refusal        text,
  -- What it becomes at `tell_at`.
  becomes        text check (becomes in ('done', 'refused')),
  -- When the caller is told by a notice; null when it was, or needs not be.
  tell_at        timestamptz,
  -- When the money moved, and when a refund came back.
  done_at        timestamptz,
  returned_at    timestamptz,
  primary key (merchant, reference),
  check (state <> 'pending' or becomes is not null),
  check (becomes is null or tell_at is not null)
);
create index operations_by_authorization on simulator.operations (merchant, authorization_reference);
create index operations_to_tell on simulator.operations (tell_at) where tell_at is not null;

-- What a test card makes of the operations on it.
create table simulator.sequels (
  merchant       uuid not null,
  reference      uuid not null,
  sequel         text not null,
  primary key (merchant, reference)
);

-- Disputes, as the simulated network keeps them.
create table simulator.cases (
  merchant       uuid not null,
  id             uuid not null,
  -- The approval that is disputed.
  reference      uuid not null,
  amount         bigint,
  reason         text not null,
  is_inquiry     boolean not null,
  state          text not null check (state in ('planned', 'open', 'won', 'lost')),
  -- When the merchant's acquirer is told what it has come to; null when it was.
  tell_at        timestamptz,
  -- When an inquiry that nobody answers becomes a dispute.
  escalates_at   timestamptz,
  -- What the network has charged back, and when; and when it gave that back.
  taken          bigint,
  taken_at       timestamptz,
  returned_at    timestamptz,
  primary key (merchant, id),
  check ((taken is null) = (taken_at is null)),
  check (returned_at is null or taken_at is not null)
);
-- What of a payment has neither been given back nor charged back.
create function simulator.left_of(merchant uuid, reference uuid) returns bigint
  language sql stable
  return coalesce((
    select coalesce((select max(o.amount) from simulator.operations o
                      where o.merchant = a.merchant and o.authorization_reference = a.reference
                        and o.kind = 'capture' and o.state = 'done'), a.approved)
           - coalesce((select sum(o.amount) from simulator.operations o
                        where o.merchant = a.merchant and o.authorization_reference = a.reference
                          and o.kind = 'refund' and o.state in ('done', 'pending')), 0)
           - coalesce((select sum(c.taken) from simulator.cases c
                        where c.merchant = a.merchant and c.reference = a.reference
                          and c.returned_at is null), 0)
      from simulator.authorizations a
     where a.merchant = left_of.merchant and a.reference = left_of.reference and a.captured
  ), 0)::bigint;
create index cases_to_tell on simulator.cases (tell_at) where tell_at is not null;
create index cases_by_authorization on simulator.cases (merchant, reference);

-- Transfers to merchants' bank accounts, as the simulated bank keeps them.
create table simulator.payouts (
  merchant       uuid not null,
  reference      uuid not null,
  amount         bigint not null,
  currency       text not null,
  has_failed     boolean not null default false,
  -- Whether the bank has said so; then it cannot fail any more.
  has_arrived    boolean not null default false,
  arrives_at     timestamptz not null,
  primary key (merchant, reference)
);

-- The simulated directory server's own book: where the result of each transaction is to be sent.
create table simulator.directory_transactions (
  ds_transaction_id                uuid primary key,
  three_ds_server_transaction_id   uuid not null,
  -- Where results go; only the directory knows it.
  three_ds_server_url              text not null,
  created_at                       timestamptz not null default now()
);
-- They are deleted by age, and BRIN costs inserts next to nothing.
create index directory_transactions_by_age on simulator.directory_transactions using brin (created_at)
  with (pages_per_range = 32);

-- The simulated bank's challenges. No card number: what the card makes the bank do is written down instead.
create table simulator.challenges (
  acs_transaction_id               uuid primary key,
  ds_transaction_id                uuid not null,
  three_ds_server_transaction_id   uuid not null,
  behaviour                        text not null,
  brand                            text not null,
  last4                            text not null,
  merchant_name                    text not null,
  amount                           text not null,
  currency                         text not null,
  exponent                         smallint not null,
  notification_url                 text not null,
  directory_url                    text not null,
  session_data                     text,
  -- waiting: no CReq yet; asked: the cardholder has the page; decided: and what it came to.
  state                            text not null check (state in ('waiting', 'asked', 'decided')),
  wrong_codes                      smallint not null default 0,
  trans_status                     text check (trans_status in ('Y', 'N')),
  challenge_cancel                 text check (challenge_cancel in ('01', '04', '05')),
  -- When the bank gives up on the cardholder, or tries again to tell its result; null when it was told, or told in
  -- vain too often.
  due_at                           timestamptz,
  retold                           smallint not null default 0,
  created_at                       timestamptz not null default now(),
  check ((state = 'decided') = (trans_status is not null))
);
create index challenges_due on simulator.challenges (due_at) where due_at is not null;
create index challenges_by_age on simulator.challenges using brin (created_at) with (pages_per_range = 32);
