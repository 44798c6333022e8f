-- Allows a charge that an issuer has declined to be sent over another connection once, for accounts that opt in. The
-- declined attempt is stored with the card, whose declines the card networks limit. Version 0.1.0 writes only rows that
-- the new checks also allow, so it does not depend on the old ones.
-- unused since: 0.1.0
alter table charge_attempts drop constraint charge_attempts_outcome_known;
alter table charge_attempts drop constraint charge_attempts_reason_matches_outcome;

alter table charge_attempts
  add constraint charge_attempts_outcome_known check (outcome in ('not_sent', 'rejected', 'declined')) not valid;
alter table charge_attempts
  add constraint charge_attempts_reason_matches_outcome check ((outcome = 'not_sent') = (reason is null)) not valid;

-- The fingerprint of the card. Null for an attempt that was not declined.
alter table charge_attempts add column card_fingerprint text;
alter table charge_attempts
  add constraint charge_attempts_card_of_decline check ((outcome = 'declined') = (card_fingerprint is not null)) not valid;

-- Whether charges that an issuer declines may be sent over another connection.
alter table routing_rules add column cascade_declines boolean not null default false;
