export const usage = `florin: a card payments service that you run yourself

  florin start     start everything: database, service, card form, demo shop
  florin doctor [--json]
                   check settings, keys, database and installation, and print unsafe settings
                   with their consequence and fix. Exits with 1 if a check fails
  florin listen [--forward-to URL] [--events a,b] [--url URL --key KEY]
                   print a merchant's events as they happen, and forward them to a local URL. With
                   --url and --key, print the events of a service on another machine
  florin trigger EVENT… [--amount N] [--currency usd] [--card pm_…] [--url URL --key KEY]
                   create events by calling the API. With --url and --key, call a service on another
                   machine
  florin verify [--cards | --since 24h] [--stuck-after SECONDS] [--json]
                   check that the ledger, the charges, the events and the acquirer agree. With --since,
                   check only what has changed since then
  florin reconcile [--day 2026-01-31 | --since-restore] [--json]
                   compare a day's payments and ledger with the acquirer's settlement file. With
                   --since-restore, compare every day since the time to which you restored the database.
                   Exits with 1 if there are differences or if a file is missing
  florin certify CONNECTION [--wait SECONDS] [--json]
                   send test payments over a sandbox connection, and check that the acquirer behaves as
                   the connector expects. Exits with 1 if a check does not pass
  florin operator add|reset EMAIL
                   make a person an operator, or reset their two-step verification
  florin backup DIRECTORY
                   copy the built-in database to a new directory while the service runs, without the
                   keys
  florin restore BACKUP [--to TIME | --latest]
                   restore a backup to an empty data directory. With --to or --latest, also apply the
                   log in FLORIN_WAL_ARCHIVE up to that time, or all of it. With DATABASE_URL,
                   'florin restore --to TIME' records a restore that was done with other tools
  florin retain [--run | --check] [--json]
                   print the partitions that would be created or dropped and the payments that would be
                   archived. With --run, make these changes. With --check, read all archives, and exit with
                   1 if one is missing or damaged
  florin rotate-keys [--live] [--finish]
                   create a new key-encryption key, and re-encrypt the key of every card and secret
                   with it. Restart the servers, then run --finish, which re-encrypts the data that
                   they added with the old key, and retires that key
  florin --version print the versions of the service, the API, the SDK and the loader

Settings are environment variables. docs/operating/settings.md lists them.`;
