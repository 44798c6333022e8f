-- florin: statements
-- Without this index, each batch of the backfill would read all rows that earlier batches have filled.
create index concurrently if not exists charges_without_sales_channel on charges (id) where sales_channel is null;
