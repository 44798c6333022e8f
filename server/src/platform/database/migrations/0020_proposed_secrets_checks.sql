-- florin: statements
alter table operator_proposals validate constraint operator_proposals_kind_known;
alter table operator_proposals validate constraint operator_proposals_secrets_of_kind;
