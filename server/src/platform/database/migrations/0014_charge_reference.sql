-- A charge carries the merchant's own reference: its own, or that of its checkout session. Lists filter by it, and events
-- show it, without a look at the session.
alter table charges
  add column client_reference_id text
    constraint charges_client_reference_id_length check (length(client_reference_id) <= 200);

update charges c
   set client_reference_id = s.client_reference_id
  from checkout_sessions s
 where s.account_id = c.account_id and s.livemode = c.livemode and s.id = c.checkout_session_id
   and s.client_reference_id is not null;

-- Only charges that have a reference are in it, so the others pay nothing for it.
create index charges_by_client_reference
  on charges (account_id, livemode, client_reference_id, id) where client_reference_id is not null;
