import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestDatabase } from "../../test/database.ts";
import { maxBlockMs, measureBlockMs } from "../../test/event-loop-block.ts";
import { type AccountId, newId, uuidOf } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import { createChangeFeed } from "../platform/changes/change-feed.ts";
import { connectDatabase, type Database } from "../platform/database/database.ts";
import { insertListEntry } from "./list-entry.sql.ts";
import { insertRule } from "./rule.sql.ts";
import { createRuleSets } from "./rule-set.ts";
import { quietSignals } from "./signals.fixture.ts";
import type { Signals } from "./signals.ts";

const now = new Date("2026-05-15T12:00:00Z");
const clock = { now: () => now };
const testDatabase = await createTestDatabase();
const connected = connectDatabase({ url: testDatabase.url, poolSize: 4, onIdleError: () => {} });
const changes = createChangeFeed(connected);
let statements = 0;
const database: Database = {
  ...connected,
  read: (...statement) => {
    statements += 1;
    return connected.read(...statement);
  },
};
after(async () => {
  await changes.close();
  await connected.close();
  await testDatabase.drop();
});

const emailSignals: Signals = { ...quietSignals, email: "a@example.com" };

async function createScope(livemode = false): Promise<Scope> {
  const account: AccountId = newId("acct", now);
  await connected.transaction(
    (tx) => tx`insert into accounts (id, name) values (${uuidOf(account)}, 'Shop')`,
  );
  return { account, livemode };
}

async function createRule(
  scope: Scope,
  outcome: "decline" | "review",
  status: "enabled" | "disabled" = "enabled",
): Promise<string> {
  const id = newId("rule", now);
  const rest = { disabledReason: null, description: null, metadata: {} };
  await connected.transaction((tx) =>
    insertRule(tx, { id, scope, expression: "true", outcome, status, ...rest }),
  );
  return id;
}

async function blockEmail(scope: Scope, value = "a@example.com"): Promise<void> {
  const entry = { list: "block", attribute: "email", value } as const;
  const rest = { expiresAt: null, description: null, metadata: {} };
  await connected.transaction((tx) =>
    insertListEntry(tx, { id: newId("lst", now), scope, ...entry, ...rest }),
  );
}

test("the rule sets of many merchants are read in few statements, and each merchant gets its own rules", async () => {
  const scopes = await Promise.all(Array.from({ length: 60 }, (_, n) => createScope(n % 7 === 0)));
  const expected = await Promise.all(
    scopes.map(async (scope, n) => {
      if (n % 3 === 0) return [];
      if (n % 5 === 0) await createRule(scope, "review", "disabled");
      const older = await createRule(scope, "decline");
      return n % 2 === 0 ? [await createRule(scope, "review"), older] : [older];
    }),
  );
  statements = 0;
  const ruleSets = createRuleSets({ database, clock, changes });
  const found = await Promise.all(scopes.map((scope) => ruleSets.of(scope)));
  for (const [n, ruleSet] of found.entries()) {
    const { list, rules } = ruleSet.match(emailSignals, now);
    assert.equal(list, null);
    assert.deepEqual(
      rules.map(({ id }) => id).sort(),
      [...(expected[n] as string[])].sort(),
      `merchant ${n}`,
    );
  }
  assert.ok(statements <= 2, `${statements} statements`);
});

test("a merchant with list entries and no rules gets its lists, in its own mode only", async () => {
  const scope = await createScope();
  const other = { ...scope, livemode: true };
  await blockEmail(scope);
  const ruleSets = createRuleSets({ database, clock, changes });
  const [own, live] = await Promise.all([ruleSets.of(scope), ruleSets.of(other)]);
  assert.equal(own.match(emailSignals, now).list, "block");
  assert.equal(live.match(emailSignals, now).list, null);
});

test("a merchant's long list of domains outside ASCII does not block the event loop", async () => {
  const scope = await createScope();
  const domain = `${"ü.".repeat(110)}example.com`;
  await connected.transaction(
    (tx) => tx`
      insert into list_entries (account_id, livemode, id, list, attribute, value)
      select ${uuidOf(scope.account)}, false, gen_random_uuid(), 'block', 'email', 'a' || n || ${`@${domain}`}
        from generate_series(1, 6000) as n
    `,
  );
  const ruleSets = createRuleSets({ database, clock, changes });
  const blockedMs = await measureBlockMs(async () => ruleSets.of(scope));
  assert.ok(blockedMs <= maxBlockMs, `blocked for ${blockedMs} ms`);
  const ruleSet = await ruleSets.of(scope);
  const listed: Signals = { ...quietSignals, email: `a6000@${domain}` };
  assert.equal(ruleSet.match(listed, now).list, "block");
});

test("payments between many changes of a merchant's lists share reads, and each gets the lists after its change", async () => {
  const scope = await createScope();
  const ruleSets = createRuleSets({ database, clock, changes });
  statements = 0;
  const found = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const email = `n${n}@example.com`;
      await blockEmail(scope, email);
      ruleSets.invalidate(scope);
      return [email, await ruleSets.of(scope)] as const;
    }),
  );
  for (const [email, ruleSet] of found)
    assert.equal(ruleSet.match({ ...quietSignals, email }, now).list, "block");
  // Without sharing, each payment would read the lists.
  assert.ok(statements <= 12, `${statements} statements`);
});
