-- A second operator confirms new secrets of a connection with the HMAC key that the acquirer's console shows. `wrong_keys`
-- counts the entered keys that differed from the proposed key. `key_matched` is true if the proposal was confirmed with
-- the proposed key.
alter table operator_proposals add column wrong_keys integer not null default 0;
alter table operator_proposals add column key_matched boolean not null default false;

-- Servers of version 0.1.0 do not implement `replace_secrets`. Without these constraints, they would mark such a proposal
-- as confirmed without storing its secrets, or would end it without erasing them. They are not validated, because rows
-- that were confirmed before this migration have no entered key.
alter table operator_proposals add constraint operator_proposals_secrets_confirmed_by_key_match
  check (kind <> 'replace_secrets' or status <> 'confirmed' or key_matched) not valid;
alter table operator_proposals add constraint operator_proposals_secrets_erased_at_end
  check (status = 'pending' or secrets is null) not valid;
