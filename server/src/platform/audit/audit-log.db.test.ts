import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import pg from "pg";
import { createTestDatabase } from "../../../test/database.ts";
import { type AccountId, newId, uuidOf } from "../../core/ids.ts";
import { findBrokenAuditChains } from "../../insights/verify/audit.sql.ts";
import { createLocalKeyProvider } from "../../vault/local-key-provider.ts";
import { connectDatabase, type Database } from "../database/database.ts";
import type { Tx } from "../database/sql.ts";
import { createAuditContext } from "./audit-context.ts";
import type { AuditEntry } from "./audit-entry.ts";
import { readAuditProtection } from "./audit-protection.ts";
import { recordAuditEntry } from "./record-audit-entry.ts";

const clock = { now: () => new Date() };
const keysDirectory = await mkdtemp(join(tmpdir(), "florin-audit-"));
const keys = createLocalKeyProvider(keysDirectory);
const copies: Record<string, unknown>[] = [];
const testDatabase = await createTestDatabase();
const database = connect(testDatabase.url);
after(async () => {
  await database.close();
  await testDatabase.drop();
  await rm(keysDirectory, { recursive: true });
});

function connect(url: string): Database {
  return connectDatabase({
    url,
    poolSize: 8,
    onIdleError: () => undefined,
    audit: createAuditContext({
      deriveKey: () => keys.mac(true, Buffer.from("audit_log")),
      copy: (entry) => void copies.push(entry),
    }),
  });
}

const entryOf = (account: AccountId | null, object: string): AuditEntry => ({
  account,
  livemode: null,
  actor: { kind: "service" },
  action: account ? "account.updated" : "service.verified",
  object,
});

const record = (account: AccountId | null, object: string) =>
  database.transaction((tx) => recordAuditEntry(tx, entryOf(account, object), clock));

class RolledBack extends Error {}

/** Damages the log with triggers disabled, verifies it, and rolls the damage back. */
async function violationsAfter(damage: (tx: Tx) => Promise<unknown>): Promise<readonly string[]> {
  let found: readonly string[] = [];
  const trial = database.transaction(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await damage(tx);
    found = (await findBrokenAuditChains(tx, database.audit)).sentences;
    throw new RolledBack();
  });
  await assert.rejects(trial, RolledBack);
  return found;
}

/** Recomputes the hashes of a chain, as an attacker could who can write to the database but does not have the key. */
async function rehash(tx: Tx): Promise<void> {
  const rows = await tx<{ number: number; entry: string }>`
    select number, entry from audit_log where account_id = ${nil} order by number
  `;
  let hash = Buffer.alloc(0) as Buffer;
  for (const { number, entry } of rows) {
    hash = createHash("sha256").update(hash).update(entry).digest();
    await tx`update audit_log set hash = ${hash} where account_id = ${nil} and number = ${number}`;
  }
  const last = rows.at(-1)?.number ?? 0;
  await tx`update audit_heads set number = ${last}, hash = ${hash} where account_id = ${nil}`;
}

const nil = "00000000-0000-0000-0000-000000000000";

for (const name of ["one", "two", "three", "four"]) await record(null, name);
const account = newId("acct", clock.now());
await record(account, "five");

test("an unmodified log is valid, even after concurrent entries", async () => {
  const other = newId("acct", clock.now());
  await Promise.all(Array.from({ length: 60 }, (_, index) => record(other, String(index))));
  assert.deepEqual(await violationsAfter(async () => undefined), []);
});

const damages: readonly (readonly [what: string, damage: (tx: Tx) => Promise<unknown>])[] = [
  [
    "a changed entry",
    (tx) => tx`update audit_log set entry = replace(entry, 'two', '2') where number = 2`,
  ],
  [
    "a changed entry with all hashes recomputed",
    async (tx) => {
      await tx`update audit_log set entry = replace(entry, 'two', '2') where number = 2`;
      await rehash(tx);
    },
  ],
  [
    "a changed entry with all hashes recomputed and invented authentication codes",
    async (tx) => {
      await tx`update audit_log set entry = replace(entry, 'two', '2') where number = 2`;
      await rehash(tx);
      await tx`update audit_log set mac = ${randomBytes(32)}`;
      await tx`update audit_heads set mac = ${randomBytes(32)}`;
    },
  ],
  [
    "a removed entry with the rest renumbered and rehashed",
    async (tx) => {
      await tx`delete from audit_log where account_id = ${nil} and number = 2`;
      await tx`update audit_log set number = number - 1 where account_id = ${nil} and number = 3`;
      await tx`update audit_log set number = number - 1 where account_id = ${nil} and number = 4`;
      await rehash(tx);
    },
  ],
  [
    "a tail that was cut off together with the head",
    async (tx) => {
      await tx`delete from audit_log where account_id = ${nil} and number > 2`;
      await rehash(tx);
    },
  ],
  [
    "a tail that was cut off, with the last entry's authentication code at the head",
    async (tx) => {
      await tx`delete from audit_log where account_id = ${nil} and number > 2`;
      await tx`update audit_heads h set number = l.number, hash = l.hash, mac = l.mac
                 from audit_log l where h.account_id = ${nil} and l.account_id = ${nil} and l.number = 2`;
    },
  ],
  ["a truncated log", (tx) => tx`truncate audit_log`],
  [
    "an entry copied to another chain",
    (tx) =>
      tx`update audit_log set account_id = gen_random_uuid() where account_id = ${nil} and number = 4`,
  ],
  [
    "a removed log of an account, together with its head",
    async (tx) => {
      await tx`delete from audit_log where account_id = ${uuidOf(account)}`;
      await tx`delete from audit_heads where account_id = ${uuidOf(account)}`;
    },
  ],
  [
    "a removed service-wide log after a server has run",
    async (tx) => {
      await tx`insert into processes default values`;
      await tx`delete from audit_log where account_id = ${nil}`;
      await tx`delete from audit_heads where account_id = ${nil}`;
    },
  ],
];

for (const [what, damage] of damages) {
  test(`verify detects ${what}`, async () => {
    assert.notDeepEqual(await violationsAfter(damage), []);
  });
}

const rejected: readonly (readonly [statement: string, text: string])[] = [
  ["update", "update audit_log set entry = '{}'"],
  ["delete", "delete from audit_log"],
  ["truncate", "truncate audit_log"],
  ["a head that moves back", "update audit_heads set number = number - 1"],
  ["a head that skips entries", "update audit_heads set number = number + 2"],
  ["a head that is deleted", "delete from audit_heads"],
  ["heads that are truncated", "truncate audit_heads"],
];

async function rejectionOf(text: string, ...before: string[]): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
  try {
    await client.query("begin");
    for (const statement of before) await client.query(statement);
    await client.query(text);
    return undefined;
  } catch (error) {
    return (error as pg.DatabaseError).code;
  } finally {
    await client.end();
  }
}

for (const [what, text] of rejected) {
  test(`triggers reject, even for a superuser: ${what}`, async () => {
    assert.equal(await rejectionOf(text), "42501");
  });
}

for (const [what, text] of rejected.slice(0, 3)) {
  test(`the writing role has no privilege to ${what}, even without triggers`, async () => {
    const without = ["set local session_replication_role = replica", "set local role florin_audit"];
    assert.equal(await rejectionOf(text, ...without), "42501");
  });
}

test("the writing role cannot access any other table", async () => {
  assert.equal(await rejectionOf("select from people", "set local role florin_audit"), "42501");
});

test("an entry is written under the writing role, and the transaction then returns to the role of the connection", async () => {
  const roles = await database.transaction(async (tx) => {
    await tx`create table seen (role name)`;
    await tx`create function see() returns trigger language plpgsql security invoker as $$
      begin raise notice 'x'; perform set_config('florin.role', current_user, true); return null; end $$`;
    await tx`create trigger see after insert on audit_log for each row execute function see()`;
    await recordAuditEntry(tx, entryOf(null, "seen"), clock);
    const rows = await tx<{ wrote: string; now: string }>`
      select current_setting('florin.role') as wrote, current_user as now
    `;
    await tx`drop trigger see on audit_log`;
    await tx`drop function see()`;
    await tx`drop table seen`;
    return rows[0];
  });
  assert.equal(roles?.wrote, "florin_audit");
  assert.notEqual(roles?.now, "florin_audit");
});

test("without the writing role entries are still written, and the missing protection is reported", async () => {
  assert.deepEqual(await readAuditProtection(database.read), {
    role: true,
    triggers: true,
    warnings: [],
  });
  const trial = database.transaction(async (tx) => {
    await tx`revoke insert on audit_log from florin_audit`;
    await tx`alter table audit_log disable trigger audit_log_append_only`;
    await recordAuditEntry(tx, entryOf(null, "written"), clock);
    const { role, triggers, warnings } = await readAuditProtection(tx);
    assert.deepEqual([role, triggers, warnings.length], [false, false, 2]);
    throw new RolledBack();
  });
  await assert.rejects(trial, RolledBack);
});

test("each committed entry is copied to the log stream, and a rolled back one is not", async () => {
  copies.length = 0;
  const rolledBack = database.transaction(async (tx) => {
    await recordAuditEntry(tx, entryOf(null, "rolled back"), clock);
    throw new RolledBack();
  });
  await assert.rejects(rolledBack, RolledBack);
  await record(null, "committed");
  await record(account, "of an account");
  assert.deepEqual(
    copies.map(({ chain, object, entry }) => [chain, object, entry !== undefined]),
    [
      ["service", "committed", true],
      [account, "of an account", false],
    ],
  );
});

test("entries from before a key rotation remain valid", async () => {
  await keys.rotate(true);
  const rotated = connect(testDatabase.url);
  after(() => rotated.close());
  await rotated.transaction((tx) => recordAuditEntry(tx, entryOf(null, "after"), clock));
  const found = await rotated.transaction((tx) => findBrokenAuditChains(tx, rotated.audit));
  assert.deepEqual(found.sentences, []);
});
