-- Wallet tokens that only an acquirer decrypts. Such a payment method has no card number, and its payment can be sent over
-- one assignment only. The token itself is never stored.
alter table payment_methods add column assignment_id uuid;

-- Unknown until the acquirer reports them. Version 0.1.0 writes and reads only cards with a number.
alter table payment_methods alter column last4 drop not null;
alter table payment_methods alter column exp_month drop not null;
alter table payment_methods alter column exp_year drop not null;
-- A fingerprint identifies a card number. Without a number there is none.
alter table payment_methods alter column fingerprint drop not null;

alter table payment_methods add constraint payment_methods_number_or_assignment
  check ((fingerprint is null) = (assignment_id is not null)) not valid;
alter table payment_methods add constraint payment_methods_number_is_described
  check (fingerprint is null or num_nulls(last4, exp_month, exp_year) = 0) not valid;
alter table payment_methods add constraint payment_methods_expiry_complete
  check ((exp_month is null) = (exp_year is null)) not valid;
-- The networks of a card without a number are unknown, so the list may be empty. Version 0.1.0 writes only rows that the
-- new check also allows, so it does not depend on the old one.
-- unused since: 0.1.0
alter table payment_methods drop constraint payment_methods_preferred_network_on_card;
alter table payment_methods add constraint payment_methods_preferred_network_on_card
  check (preferred_network is null or preferred_network = any(networks)) not valid;
-- The token pays once, in the session whose customer approved it.
alter table payment_methods add constraint payment_methods_token_not_saved
  check (assignment_id is null or (customer_id is null and consented_at is null)) not valid;
alter table payment_methods add constraint payment_methods_token_of_wallet
  check (assignment_id is null or (checkout_session_id is not null and livemode and wallet is not null)) not valid;
