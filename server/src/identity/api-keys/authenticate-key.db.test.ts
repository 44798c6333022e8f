import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestDatabase } from "../../../test/database.ts";
import { newId, uuidOf } from "../../core/ids.ts";
import { createChangeFeed } from "../../platform/changes/change-feed.ts";
import { connectDatabase, type Database } from "../../platform/database/database.ts";
import { createAccountCache } from "../accounts/account-cache.ts";
import { createKeyAuthentication } from "./authenticate-key.ts";
import { issueApiKey } from "./issue-api-key.ts";
import { newSecretKey } from "./key-text.ts";

const now = new Date("2026-05-15T12:00:00Z");
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

const hashKey = async (key: string) => Buffer.from(key.padEnd(32).slice(-32));
const deps = { clock: { now: () => now }, hashKey };

function createAuthentication() {
  const accounts = createAccountCache(database, changes);
  const keyUses = { note: () => undefined };
  return createKeyAuthentication({ ...deps, database, changes, accounts, keyUses });
}

test("concurrent requests of many merchants share statements, and each gets its own account", async () => {
  const authenticate = createAuthentication();
  const merchants = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const account = newId("acct", now);
      const scope = { account, livemode: false };
      const secret = await connected.transaction(async (tx) => {
        await tx`insert into accounts (id, name) values (${uuidOf(account)}, 'Shop')`;
        return (await issueApiKey(deps, tx, scope, "Server")).secret;
      });
      return { scope, secret };
    }),
  );
  const unknown = newSecretKey(false);
  statements = 0;
  const [rejected, ...callers] = await Promise.all([
    authenticate(`Bearer ${unknown}`).catch((error: { code: string }) => error.code),
    ...merchants.map(({ secret }) => authenticate(`Bearer ${secret}`)),
  ]);
  assert.equal(rejected, "api_key_invalid");
  assert.deepEqual(
    callers.map(({ scope }) => scope),
    merchants.map(({ scope }) => scope),
  );
  assert.ok(statements <= 4, `${statements} statements`);
});
