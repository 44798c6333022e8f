-- florin: statements
-- Lists sessions and payouts with a status that few rows have. Without these indexes, a list without a match scanned all rows of the merchant.
-- expires_at is never null. The redundant condition keeps the planner from choosing this index for updates (see charges_due).
create index concurrently if not exists checkout_sessions_in_progress
  on checkout_sessions (account_id, livemode, status, id)
  where status in ('open', 'processing') and expires_at is not null;
create index concurrently if not exists payouts_by_rare_status
  on payouts (account_id, livemode, status, id) where status <> 'paid';
