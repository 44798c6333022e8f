-- Gives a constraint of `0021_proposed_key_checks.sql` another name, because names that Postgres generates end in `_key`.
-- Version 0.1.0 does not have this constraint.
-- unused since: 0.1.0
alter table operator_proposals drop constraint operator_proposals_secrets_confirmed_with_key;
alter table operator_proposals add constraint operator_proposals_secrets_confirmed_by_key_match
  check (kind <> 'replace_secrets' or status <> 'confirmed' or key_matched) not valid;
