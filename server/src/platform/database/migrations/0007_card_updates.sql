-- The reason why a saved card must be entered again, as the card network reported it.
alter table payment_methods
  add column update_reason text,
  add column update_reported_at timestamptz;

alter table payment_methods
  add constraint payment_methods_update_reason_is_known
  check (update_reason in ('expired', 'card_replaced', 'account_closed', 'contact_cardholder')) not valid;

alter table payment_methods
  add constraint payment_methods_update_has_a_time
  check ((update_reason is null) = (update_reported_at is null)) not valid;
