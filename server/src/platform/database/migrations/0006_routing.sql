-- The routing rules of each account, in the order in which they apply. A change inserts the next version. Earlier versions
-- remain, because the routes of charges refer to them (docs/decisions/0080-rules-order-the-connections-of-a-charge.md).
create table routing_rules (
  account_id  uuid not null,
  version     integer not null,
  -- Each with the name, the condition in CEL, and the assignments with their weights.
  rules       jsonb not null,
  created_at  timestamptz not null,
  constraint routing_rules_pkey primary key (account_id, version),
  constraint routing_rules_account_exists foreign key (account_id) references accounts,
  constraint routing_rules_version_positive check (version > 0),
  constraint routing_rules_is_list check (jsonb_typeof(rules) = 'array')
);
-- Servers cache the rules together with the connections and assignments, which have no account.
create trigger routing_rules_changed after insert on routing_rules
  for each row execute function record_configuration_change();

-- Why the charge was sent over its assignment: the rules that matched, and the reasons for which other assignments were
-- not used. Null if the account had one assignment and no rules, and for the simulator.
alter table charges add column route jsonb;
