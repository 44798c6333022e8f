import assert from "node:assert/strict";
import { test } from "node:test";
import { merchantTables, readStatements, schema, tables } from "./sql-statements.ts";

/**
 * Rules that make it possible to move every merchant's payments to another Postgres cluster. Nothing in a merchant's
 * tables may depend on a row of another merchant, on the physical position of a row, or on the clock of one server.
 */

const statements = readStatements();

/** Fails if a violation is not listed as an exception, or if an exception is no longer needed. */
function assertOnlyListed(
  violations: readonly string[],
  exceptions: Readonly<Record<string, readonly string[]>>,
  reason: string,
): void {
  const listed = Object.values(exceptions).flat();
  const isListed = (one: string) => listed.some((exception) => one.startsWith(exception));
  assert.deepEqual(
    violations.filter((one) => !isListed(one)),
    [],
    reason,
  );
  assert.deepEqual(
    listed.filter((exception) => !violations.some((one) => one.startsWith(exception))),
    [],
    "Remove these exceptions, which are no longer needed.",
  );
}

/** The keys of merchants' tables that do not contain the account, grouped by the reason. */
const keysAcrossAccounts: Readonly<Record<string, readonly string[]>> = {
  "The account is found by a secret or by a hash of it.": [
    "api_keys_pkey",
    "api_keys_id_unique",
    "invitations_token_hash_unique",
  ],
  "A person or an operator can belong to several accounts, or to none.": [
    "invitations_inviter_exists",
    "members_person_exists",
    "operator_proposals_pkey",
    "operator_proposals_proposer_exists",
    "operator_proposals_decider_exists",
  ],
  "Connections to acquirers and their reports belong to the operator of the service.": [
    "processor_assignments_connection_exists",
    "settlement_report_lines_pkey",
  ],
};

test("every primary, unique and foreign key of a merchant's table contains the account", () => {
  const ofTables = [...tables]
    .filter(([name]) => merchantTables.has(name))
    .flatMap(([name, columns]) => columns.split(/,\n/).flatMap((line) => keysIn(name, line)));
  const ofIndexes = [
    ...schema.matchAll(
      /create unique index (\S+) on (\S+)\s*(?:using \w+\s*)?\(([^;]*?)\)\s*(?:where|;)/g,
    ),
  ].flatMap(([, name = "", table = "", columns = ""]) =>
    merchantTables.has(table) ? [{ name, columns }] : [],
  );
  const keys = [...ofTables, ...ofIndexes];
  assert.ok(keys.length > 90, `only ${keys.length} keys were found`);
  assertOnlyListed(
    keys
      .filter(({ columns }) => !/\b(?:account_id|merchant)\b/.test(columns))
      .map(({ name }) => name),
    keysAcrossAccounts,
    "Add the account to the key, or list the key with its reason.",
  );
});

/** Returns the keys that a column or a constraint of a table declares. */
function keysIn(table: string, line: string): { name: string; columns: string }[] {
  const text = line.trim().replaceAll(/\s+/g, " ");
  const [, constraint] = /^constraint (\S+)/.exec(text) ?? [];
  const column = constraint ? "" : (text.split(" ")[0] ?? "");
  const key = /\b(?:primary key|unique(?: nulls not distinct)?|foreign key)(?: \(([^)]*)\))?/.exec(
    constraint ? text.slice(`constraint ${constraint}`.length) : text,
  );
  const name = constraint ?? `${table}.${column}`;
  if (key) return [{ name, columns: key[1] ?? column }];
  return !constraint && /\breferences\b/.test(text) ? [{ name, columns: column }] : [];
}

test("no statement takes the time from the server when it updates an existing row", () => {
  const updates = statements.filter(({ text }) =>
    /\bdo update\s+set\b[\s\S]*?\bnow\(\)/.test(withoutConditions(text)),
  );
  assert.deepEqual(
    updates.map(({ place }) => place),
    [],
    "Use `excluded.<column>`. A function that is not immutable prevents a distributed Postgres from routing the statement.",
  );
});

/** Removes the condition of `do update set … where …`, which may compare with the time. */
function withoutConditions(text: string): string {
  return text.replaceAll(
    /(\bdo update\s+set\b[\s\S]*?)\bwhere\b[\s\S]*?(?=\breturning\b|`|$)/g,
    "$1",
  );
}

test("no statement uses the physical place of a row", () => {
  assertOnlyListed(
    statements.filter(({ text }) => /\bctid\b/.test(text)).map(({ place }) => place),
    {
      "`florin verify` searches whole tables for card data, block by block.": [
        "insights/verify/cards.sql.ts",
      ],
    },
    "Use the primary key. A place is valid only within one partition on one server.",
  );
});

test("no statement calls a function that reads a table", () => {
  const bodies = [
    ...schema.matchAll(
      /create function ([\w.]+)\([^)]*\) returns (\S+)([\s\S]*?)(?=\n\n|\ncreate )/g,
    ),
  ];
  const reading = bodies
    .filter(
      ([, , type, body = ""]) => type !== "trigger" && /\b(?:from|into|update)\s+[a-z]/.test(body),
    )
    .flatMap(([, name = ""]) => (/_partition$/.test(name) ? [] : name));
  const calls = statements.filter(({ text }) => reading.some((name) => text.includes(`${name}(`)));
  assert.ok(bodies.length > 5, "no functions were found");
  assert.deepEqual(
    calls.map(({ place }) => place),
    [],
    "Write the query in the statement. The account of a query inside a function is not visible to this test or to a router.",
  );
});

/** Returns the tables that a statement reads or writes. */
function tablesIn(text: string): string[] {
  const named = text.matchAll(
    /(?<!distinct )\b(?:from|join|update|into|using)\s+([a-z_]+(?:\.[a-z_]+)?)\b/g,
  );
  return [...named].flatMap(([, name = ""]) => (tables.has(name) ? name : []));
}

test("a statement uses tables of the service or of the simulator, and only `verify` joins them", () => {
  const isSimulated = (table: string) => table.startsWith("simulator.");
  const mixed = statements.filter(({ place, text }) => {
    const used = tablesIn(text);
    return (
      !place.startsWith("insights/verify/") && used.some(isSimulated) && !used.every(isSimulated)
    );
  });
  assert.deepEqual(
    mixed.map(({ place }) => place),
    [],
    "The simulator stands for an acquirer, whose database the service cannot read.",
  );
});

/**
 * Tables of people and of the directory of accounts and connections. Only one cluster has these tables, for all
 * merchants.
 */
const directory = new Set([
  ...["people", "sessions", "passkeys", "passkey_challenges", "totp_secrets", "recovery_codes"],
  ...["links", "sign_in_attempts", "failed_sign_ins", "mails", "mail_counts", "members"],
  ...["invitations", "notification_preferences", "operator_proposals", "processor_connections"],
]);

test("no statement joins people or the directory with a merchant's payments", () => {
  const mixed = statements.filter(({ text }) => {
    const used = tablesIn(text);
    return (
      used.some((table) => directory.has(table)) &&
      used.some((table) => merchantTables.has(table) && !directory.has(table))
    );
  });
  assertOnlyListed(
    mixed.map(({ place }) => place),
    {
      "The subqueries count the queues of the whole service independently of each other.": [
        "insights/monitoring/health.sql.ts readQueues",
      ],
    },
    "Read the two in separate statements. Otherwise both must stay in one Postgres cluster.",
  );
});
