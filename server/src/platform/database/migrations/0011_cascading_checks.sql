-- florin: statements
alter table charge_attempts validate constraint charge_attempts_outcome_known;
alter table charge_attempts validate constraint charge_attempts_reason_matches_outcome;
alter table charge_attempts validate constraint charge_attempts_card_of_decline;

-- Counts the declined attempts of a card. They are no charges of their own, so charges_declined_by_card does not contain them.
create index concurrently if not exists charge_attempts_declined_by_card
  on charge_attempts (account_id, livemode, card_fingerprint, ended_at) where outcome = 'declined';
