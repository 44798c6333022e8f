-- The cards that were typed into a session's card form and not erased yet. It bounds how many a session can take, and
-- its index is the queue of ended sessions whose cards are to be erased.
alter table checkout_sessions
  add column card_count smallint not null default 0,
  add constraint checkout_sessions_max_cards check (card_count between 0 and 20);

create index checkout_sessions_with_cards_to_erase on checkout_sessions (id)
  where card_count > 0 and status in ('complete', 'expired', 'canceled', 'failed');

-- A card belongs to a customer, who agreed to save it, or to the one session it was typed into.
alter table payment_methods
  add constraint payment_methods_have_a_purpose
    check (customer_id is not null or checkout_session_id is not null or detached_at is not null),
  add constraint payment_methods_are_saved_with_consent
    check (customer_id is null or consented_at is not null);

-- The session comes first, so that no statement that names the account alone is tempted to use it.
create index payment_methods_of_one_session on payment_methods (checkout_session_id, account_id, livemode)
  where customer_id is null and checkout_session_id is not null;

-- The cards of a closed account are kept for a term and then erased.
alter table accounts
  add column closed_at timestamptz,
  add constraint accounts_closed_at check ((status = 'closed') = (closed_at is not null));

create index accounts_closed on accounts (closed_at) where closed_at is not null;

-- An erased card is a deleted row, which stays on disk until vacuum removes it. The table is vacuumed early, so that
-- this takes minutes and not days.
alter table vault_cards set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 100);
