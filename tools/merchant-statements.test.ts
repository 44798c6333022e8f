import assert from "node:assert/strict";
import { test } from "node:test";
import { isTest, readSources, withoutComments } from "./source-tree.ts";
import { merchantTables, templatesIn } from "./sql-statements.ts";

/** Folders and functions whose statements read or write the rows of several accounts, grouped by the reason. */
const acrossAccounts: Readonly<Record<string, readonly string[]>> = {
  "The admin console, the monitoring and `florin verify` read the data of all accounts.": [
    "insights/monitoring",
    "insights/verify",
    "admin/operator",
    "reconciliation/difference.sql.ts listDifferencesSince",
    "identity/accounts/account.sql.ts matchesSearch",
    "admin/underwriting/application.sql.ts listApplications",
    "acquiring/connections/assignment.sql.ts readAssignment",
    "acquiring/connections/assignment.sql.ts countActiveAssignments",
    "payments/inquiries/awaited.sql.ts countUnfinishedPayments",
    "payments/inquiries/awaited.sql.ts countUnsettledPayments",
    "payments/inquiries/awaited.sql.ts readAwaited",
    "vault/wallets/configurations/wallet-configuration.sql.ts readDomainAssociation",
  ],
  "Jobs find the due rows of all accounts, and then process each row within its account.": [
    "platform/jobs/claim-due.sql.ts claimDue",
    "payments/commit/due-work.sql.ts bringInquiriesForward",
    "payments/commit/due-work.sql.ts releaseClaimsOf",
    "payments/charges/charge-search.sql.ts dequeueLateCharges",
    "payments/inquiries/recovery-sweep.sql.ts readUnresolvedCharge",
    "payments/inquiries/recovery-sweep.sql.ts readUnresolvedOperation",
    "payments/operations/operation.sql.ts listChargesToRelease",
    "payments/commit/clock-advance.sql.ts listStoppedAdvances",
    "payments/checkout/card-retention.sql.ts eraseCardsOfUnresolvedSessions",
    "payments/checkout/card-retention.sql.ts eraseDetachedCards",
    "payments/sessions/checkout-session.sql.ts listSessionsToExpire",
    "risk/rule.sql.ts listEnabledRules",
    "risk/velocity.sql.ts deleteOldCounts",
    "identity/team/invitation.sql.ts deleteOldInvitations",
    "payments/disputes/dispute.sql.ts listOverdueDisputes",
    "payments/disputes/evidence-draft.sql.ts deleteOldDrafts",
    "platform/idempotency/idempotency.sql.ts deleteExpiredKeys",
    "insights/metrics/metrics.sql.ts listHoursToRecount",
    "insights/notifications/notification.sql.ts findEventsToNotify",
    "insights/notifications/notification.sql.ts findFailingEndpoints",
    "insights/notifications/notification.sql.ts deleteOldTeamNotifications",
    "payments/payouts/payout.sql.ts listScheduled",
    "payments/receipts/receipt.sql.ts findDueReceipts",
    "payments/receipts/receipt.sql.ts deleteOldReceipts",
    "vault/wallets/wallet-token-use.sql.ts deleteOldTokenUses",
    "vault/wallets/configurations/wallet-key.sql.ts listExpiredKeys",
    "simulator/src/dispute-case.sql.ts claimCaseNotifications",
    "simulator/src/operation.sql.ts claimOperationNotifications",
    "webhooks/delivery/delivery.sql.ts claimDeliveries",
    "webhooks/delivery/delivery.sql.ts releaseDeliveriesOf",
    "webhooks/delivery/delivery.sql.ts hasPendingDelivery",
  ],
  "The directory holds the assignments and routing rules of all merchants in memory.": [
    "acquiring/connections/assignment.sql.ts listAllAssignments",
    "acquiring/routing/routing-rules.sql.ts listRoutingRules",
  ],
  "Every process reads the changes of all accounts. They expire for all accounts at once.": [
    "platform/changes/change-feed.sql.ts changesText",
    "platform/changes/change-feed.sql.ts deleteOldChanges",
  ],
  "The account is found by a secret or by a hash of it.": [
    "identity/team/invitation.sql.ts readInvitationByToken",
    "identity/team/invitation.sql.ts takeInvitation",
    "identity/api-keys/api-key.sql.ts findApiKeys",
    "identity/api-keys/api-key.sql.ts listKeyHashes",
    "payments/sessions/checkout-session.sql.ts readSessionById",
  ],
  "A person can belong to several accounts.": ["identity/accounts/member.sql.ts readMembershipsOf"],
  "A key rotation encrypts the secrets of all merchants with the new key.": [
    "admin/underwriting/application.sql.ts readSectionsWithout",
    "admin/underwriting/document.sql.ts readDocumentsWithout",
    "payments/disputes/dispute-file.sql.ts readDisputeFilesWithout",
    "webhooks/delivery/endpoint.sql.ts readSecretsWithout",
    "vault/wallets/configurations/wallet-key.sql.ts readPrivateKeysWithout",
  ],
  "The statement returns only whether any account has such rows.": [
    "vault/key-checks.sql.ts usesKeys",
  ],
  "`florin retain` compares the archives of all accounts with their files.": [
    "admin/retention/archive.sql.ts listRecordedArchives",
  ],
  "The condition of each table, which the statement interpolates, names the account.": [
    "payments/commit/archive.sql.ts readArchivedRows",
    "payments/commit/archive.sql.ts deleteArchivedRows",
    "payments/commit/test-clock.sql.ts moveNextRows",
  ],
  "The fragment is part of statements that name the account.": [
    "identity/accounts/member.sql.ts knownMembers",
    "payments/balance/checkpoint.sql.ts newest",
  ],
};

const account = "(?:[a-z]+[._])?(?:account_id|account|merchant)";
/**
 * Matches a condition on the account column, alone or as one of several columns, or the account column of an insert.
 */
const accountCondition = new RegExp(
  [
    `\\b${account}\\s*(?:=|in\\b)`,
    `\\(${account},[^()]*\\)\\s*(?:=|>|in\\b)`,
    `\\b(?:using|conflict) \\(${account}`,
    `\\binto\\s[^()]*\\((?:[^()]*\\s)?${account},`,
  ].join("|"),
  "g",
);
/** Matches a table that is named or interpolated. `${rows} as` is a batch of rows and does not count. */
const mention = /(?<!distinct )\b(?:from|join|update|into)\s+(?:([a-z_.]+)|\$\{(?!\w+\} as ))/g;

type Statement = { readonly place: string; readonly tables: number; readonly accounts: number };

const statements = readSources()
  .filter(({ path }) => /^(?:server|simulator)\/src\//.test(path) && !isTest(path))
  .flatMap((source) => statementsOf(source.path, withoutComments(source)));

test("every statement names the account for each merchant table, or is listed as a statement for all accounts", () => {
  const unrestricted = statements
    .filter(({ tables, accounts }) => accounts < tables)
    .map(({ place }) => place);
  const listed = Object.values(acrossAccounts).flat();
  const isListed = (place: string) =>
    listed.some((one) => place === one || place.startsWith(`${one}/`));
  assert.deepEqual(
    unrestricted.filter((place) => !isListed(place)),
    [],
    "Add the account to the statement, or add the statement to `acrossAccounts` with the reason.",
  );
  const unused = listed.filter((one) => !unrestricted.some((place) => place.startsWith(one)));
  assert.deepEqual(
    unused,
    [],
    "Remove these entries of `acrossAccounts`, which are no longer needed.",
  );
});

function statementsOf(path: string, code: string): Statement[] {
  const conditions = fragmentsWithAccountCondition(code);
  const declared = [...code.matchAll(/^(?:export )?(?:async )?(?:function|const) (\w+)/gm)];
  return [...templatesIn(code)].flatMap(({ at, text }) => {
    if (!/\b(?:select|where|values|set)\b/.test(text)) return [];
    const tables = count(text, mention, (table) => table === "" || merchantTables.has(table));
    const named = count(text, /\$\{(\w+)/g, (name) => conditions.has(name));
    const accounts = count(text, accountCondition) + named;
    const name = declared.findLast(({ index }) => index < at)?.[1];
    const place = `${path.replace("server/src/", "")} ${name}`;
    return tables > 0 ? [{ place, tables, accounts }] : [];
  });
}

/** Returns the names of the fragments of a file that contain a condition on the account. */
function fragmentsWithAccountCondition(code: string): Set<string> {
  const found = new Set<string>();
  const declarations = code
    .split(/\b(?:const|function) /)
    .map((text) => text.split(";\n")[0] ?? "");
  // Uses two passes, because some fragments use fragments that are declared below them.
  for (const text of [...declarations, ...declarations]) {
    const isCondition =
      count(text, accountCondition) > 0 || [...found].some((one) => text.includes(`${one}(`));
    const [name = ""] = /^\w+/.exec(text) ?? [];
    if (isCondition && count(text, mention) === 0) found.add(name);
  }
  return found;
}

function count(text: string, pattern: RegExp, counts = (_word: string): boolean => true): number {
  return [...text.matchAll(pattern)].filter(([, word = ""]) => counts(word)).length;
}
