-- The verifications of cards in checkout sessions of mode 'setup'. A verification has the amount zero, and no charge and no
-- ledger entry.
create table card_verifications (
  account_id            uuid not null,
  livemode              boolean not null,
  id                    uuid not null,
  checkout_session_id   uuid not null,
  customer_id           uuid not null,
  payment_method_id     uuid not null,
  status                text not null,
  currency              text not null,
  processor             text not null,
  -- The merchant's assignment to a connection to the acquirer. Null for the simulator.
  assignment_id         uuid,
  acquirer_reference    text,
  card                  jsonb not null,
  checks                jsonb,
  three_d_secure        jsonb,
  decision_outcome      decision_outcome not null,
  risk_score            risk_score not null,
  decision_reasons      text[] not null,
  decision_details      jsonb,
  failure_code          text,
  decline_code          text,
  network_decline_code  text,
  request_id            uuid not null,
  -- When a job ends the verification. Null once it has ended.
  due_at                timestamptz,
  finalized_at          timestamptz,
  version               integer not null default 1,
  constraint card_verifications_pkey primary key (account_id, livemode, id),
  constraint card_verifications_account_exists foreign key (account_id) references accounts,
  constraint card_verifications_status_known check (status in ('processing', 'requires_action', 'succeeded', 'failed')),
  constraint card_verifications_finalized_when_ended check (
    (status in ('succeeded', 'failed')) = (finalized_at is not null)),
  constraint card_verifications_due_until_ended check ((status in ('processing', 'requires_action')) = (due_at is not null)),
  constraint card_verifications_failure_when_failed check (
    (status = 'failed') = (failure_code is not null) and (failure_code is null) = (decline_code is null)),
  -- Test mode can reach only the simulator.
  constraint card_verifications_simulator_in_test_mode check ((processor = 'simulator') <> livemode)
);
create index card_verifications_by_session on card_verifications (account_id, livemode, checkout_session_id);
create index card_verifications_due on card_verifications (due_at) where due_at is not null;
create index card_verifications_in_progress on card_verifications (account_id, livemode, payment_method_id)
  where due_at is not null;
-- The declines of a card number, which limit further attempts.
create index card_verifications_declined on card_verifications (account_id, livemode, (card ->> 'fingerprint'), id)
  where status = 'failed' and checks is not null;

alter table checkout_sessions add column mode text not null default 'payment';
alter table checkout_sessions add column verification_id uuid;
-- The card that a session of mode 'setup' has saved.
alter table checkout_sessions add column payment_method_id uuid;
-- A session of mode 'setup' has no amount.
alter table checkout_sessions alter column amount drop not null;
alter table checkout_sessions
  add constraint checkout_sessions_mode_known check (mode in ('payment', 'setup')) not valid;
alter table checkout_sessions
  add constraint checkout_sessions_amount_in_payment_mode check ((mode = 'payment') = (amount is not null)) not valid;
alter table checkout_sessions
  add constraint checkout_sessions_verified_in_setup_mode check (
    mode = 'setup' or (verification_id is null and payment_method_id is null)) not valid;
alter table checkout_sessions
  add constraint checkout_sessions_charged_in_payment_mode check (mode = 'payment' or charge_id is null) not valid;

-- The verification that saved the card. Null if a payment saved it.
alter table payment_methods add column verification_id uuid;

-- True if charge_id contains the ID of a card verification.
alter table authentications add column is_verification boolean not null default false;
