-- florin: statements
alter table processor_connections validate constraint processor_connections_processor_known;
