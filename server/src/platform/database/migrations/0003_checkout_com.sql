-- Allows connections to Checkout.com, whose URLs have a prefix in both environments. Version 0.1.0 writes only rows that
-- the new checks also allow, so it does not depend on the old ones.
-- unused since: 0.1.0
alter table processor_connections drop constraint processor_connections_processor_known;
alter table processor_connections drop constraint processor_connections_live_prefix;

alter table processor_connections
  add constraint processor_connections_processor_known
  check (processor in ('adyen', 'checkout_com', 'stripe')) not valid;

alter table processor_connections
  add constraint processor_connections_live_prefix
  check ((processor = 'checkout_com' or (processor = 'adyen' and environment = 'live'))
         = (coalesce(settings ->> 'live_prefix', '') <> '')) not valid;
