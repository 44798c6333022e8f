-- florin: statements
alter table payment_methods validate constraint payment_methods_update_reason_is_known;

alter table payment_methods validate constraint payment_methods_update_has_a_time;

create index concurrently if not exists payment_methods_to_update
  on payment_methods (account_id, livemode, id)
  where update_reason is not null and detached_at is null;
