-- Allows connections to Checkout.com. Version 0.1.0 writes only names that the new check also allows, so it does not
-- depend on the old one.
-- unused since: 0.1.0
alter table processor_connections drop constraint processor_connections_processor_known;

alter table processor_connections
  add constraint processor_connections_processor_known
  check (processor in ('adyen', 'checkout_com', 'stripe')) not valid;
