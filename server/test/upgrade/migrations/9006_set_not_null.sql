-- Reads no row, because the check is valid.
alter table charges alter column sales_channel set not null;
