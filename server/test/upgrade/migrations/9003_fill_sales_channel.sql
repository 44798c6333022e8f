-- florin: backfill
update charges set sales_channel = 'online'
 where (account_id, livemode, id) in (
   select account_id, livemode, id from charges where sales_channel is null order by id limit 1000);
