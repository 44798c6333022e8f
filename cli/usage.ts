export const usage = `florin: a card payments service that you run yourself

  florin start     start everything: database, service, card form, demo shop
  florin doctor [--json]
                   check settings, keys, database and installation: what is unsafe, what it means,
                   how to fix it; 1 when a start would be refused
  florin listen [--forward-to URL] [--events a,b]
                   print a merchant's events as they happen, and bring them to a local address
  florin trigger EVENT… [--amount N] [--currency usd] [--card pm_…]
                   make events really happen, by calls to the API
                   both take --url and --key, for a service that was not started here
  florin verify [--cards] [--stuck-after SECONDS] [--json]
                   check the books, the charges, the events and the acquirer against each other
  florin reconcile [--day 2026-01-31] [--json]
                   compare a day's books with the acquirer's settlement file
  florin operator add|reset EMAIL
                   make somebody the operator, or take their lost second factor away
  florin backup DIRECTORY
                   copy the built-in database there while the service runs, without the keys; the
                   directory is made, and FLORIN_DATA=DIRECTORY starts on it
  florin rotate-keys [--live] [--rest]
                   make a new key-encryption key, and move every card and secret under it;
                   --rest: make none, and move what servers that ran have added since

Settings come from the environment; docs/operating/settings.md lists them.`;
