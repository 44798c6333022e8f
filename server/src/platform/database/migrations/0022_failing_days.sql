-- The number of UTC days of the current series on which an attempt failed. A series that an earlier version began
-- counts from its next day.
alter table webhook_endpoints add column failing_days integer not null default 0;
