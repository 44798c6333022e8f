-- The migrations of the version to which `npm run upgrade:check` upgrades. They fill a required column and index it while the
-- previous version serves requests. Servers of the previous version insert the default.
alter table charges add column sales_channel text;
alter table charges alter column sales_channel set default 'online';
