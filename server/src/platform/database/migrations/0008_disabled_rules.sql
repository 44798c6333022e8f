-- Why the service switched a rule off: its expression cannot be evaluated any more. Null where the merchant did.
alter table rules
  add column disabled_reason text,
  add constraint rules_disabled_reason_when_disabled check (disabled_reason is null or status = 'disabled');
