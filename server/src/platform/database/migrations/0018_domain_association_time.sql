-- When an operator stored the file in domain_association. Null for a file that an earlier version stored.
alter table wallet_configurations add column domain_association_stored_at timestamptz;
