-- florin: statements
alter table charges validate constraint charges_sales_channel_not_null;
drop index concurrently if exists charges_without_sales_channel;
create index concurrently if not exists charges_by_sales_channel on charges (account_id, livemode, sales_channel, id);
-- On each partition.
create index concurrently if not exists events_by_type on events (account_id, livemode, type, id);
