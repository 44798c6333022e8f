-- Secrets of a connection that wait for the confirmation of a second operator. They are encrypted like the connection's
-- secrets, and erased when the proposal ends.
alter table operator_proposals add column secrets bytea;

-- Version 0.1.0 writes only kinds that the new check also allows, so it does not depend on the old one.
-- unused since: 0.1.0
alter table operator_proposals drop constraint operator_proposals_kind_known;
alter table operator_proposals add constraint operator_proposals_kind_known check (kind in
  ('approve_application', 'change_terms', 'add_operator', 'reset_operator_factor', 'reset_member_factor',
   'activate_connection', 'replace_secrets', 'create_assignment', 'change_assignment')) not valid;
alter table operator_proposals add constraint operator_proposals_secrets_of_kind
  check (secrets is null or kind = 'replace_secrets') not valid;
