-- What an enabled rule costs a payment, so that the rules of one merchant have a limit together.
alter table rules
  add column cost integer not null default 0
    constraint rules_cost_not_negative check (cost >= 0);

alter table rules alter column cost drop default;
