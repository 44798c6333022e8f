import assert from "node:assert/strict";
import { after, afterEach, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createTestDatabase } from "../../../test/database.ts";
import { slowed } from "../../../test/slowness.ts";
import { until } from "../../../test/until.ts";
import { type AccountId, newId, uuidOf } from "../../core/ids.ts";
import { systemTimers } from "../../core/timers.ts";
import { connectDatabase } from "../database/database.ts";
import type { Loop } from "../jobs/loop.ts";
import { cacheUntilChanged } from "./cache-until-changed.ts";
import { type ChangeFeed, createChangeFeed, maxStalenessMs } from "./change-feed.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 4, onIdleError: () => {} });
/** Another process, which changes accounts. */
const other = new pg.Client({ connectionString: testDatabase.url });
await other.connect();
after(async () => {
  await other.end();
  await database.close();
  await testDatabase.drop();
});

let account: AccountId;
let reads: number;
let feed: ChangeFeed;
let loop: Loop | null;
/** Null if the feed can connect, and otherwise the error. */
let connectError: Error | null;
let readDelayMs: number;

beforeEach(async () => {
  account = await createAccount();
  reads = 0;
  readDelayMs = 0;
  connectError = null;
  feed = createChangeFeed({
    connect: async () => {
      if (connectError) throw connectError;
      return database.connect({ application_name: "change feed of a test" });
    },
  });
  loop = null;
});
afterEach(async () => {
  await loop?.stop();
  await feed.close();
});

async function createAccount(): Promise<AccountId> {
  const id = newId("acct", new Date());
  await other.query("insert into accounts (id, name) values ($1, 'One')", [uuidOf(id)]);
  return id;
}

async function start(): Promise<void> {
  loop = feed.start({ timers: systemTimers, onError: () => undefined });
  const position = feed.position();
  await until(
    async () => feed.position(),
    (now) => now > position,
  );
}

type Named = { readonly id: AccountId; readonly name: string };

function createCache() {
  return cacheUntilChanged<Named>(feed, {
    async read(id) {
      reads += 1;
      const [row] = await database.read<{ name: string }>`
        select name from accounts where id = ${uuidOf(id as AccountId)}`;
      if (readDelayMs > 0) await sleep(readDelayMs);
      return row ? { id: id as AccountId, name: row.name } : null;
    },
    accountOf: ({ id }) => id,
  });
}

const rename = (name: string, client = other) =>
  client.query("update accounts set name = $2 where id = $1", [uuidOf(account), name]);

/** Runs the work while another connection has an open transaction. */
async function withOpenTransaction(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
  try {
    await client.query("begin");
    await work(client);
  } finally {
    await client.end();
  }
}

const cutFeed = () =>
  other.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'change feed of a test' and datname = current_database()",
  );

/** Changes the name, and returns the time until the cache returns the new name. */
async function timeUntilSeen(cache: ReturnType<typeof createCache>, name: string): Promise<number> {
  await rename(name);
  const committedAt = performance.now();
  while ((await cache.get(account))?.name !== name) await sleep(1);
  return performance.now() - committedAt;
}

test("a value is read once while its account does not change", async () => {
  await start();
  const cache = createCache();
  await cache.get(account);
  const another = await createAccount();
  for (let times = 0; times < 15; times++) {
    await other.query("update accounts set name = 'Two' where id = $1", [uuidOf(another)]);
    await sleep(100);
    assert.equal((await cache.get(account))?.name, "One");
  }
  assert.equal(reads, 1);
});

test("a change by another process is seen within a second", async () => {
  await start();
  const cache = createCache();
  await cache.get(account);
  for (const name of ["Two", "Three", "Four"]) {
    assert.ok((await timeUntilSeen(cache, name)) < slowed(1_000));
  }
});

test("a change is seen within a second without the notification of Postgres", async () => {
  await start();
  const cache = createCache();
  await cache.get(account);
  await other.query("alter function record_configuration_change() rename to unused");
  await other.query("drop trigger accounts_changed on accounts");
  try {
    const committedAt = performance.now();
    await other.query("begin");
    await rename("Two");
    await other.query("insert into configuration_changes (account_id) values ($1)", [
      uuidOf(account),
    ]);
    await other.query("commit");
    while ((await cache.get(account))?.name !== "Two") await sleep(1);
    assert.ok(performance.now() - committedAt < slowed(1_000));
  } finally {
    await other.query("alter function unused() rename to record_configuration_change");
    await other.query(
      "create trigger accounts_changed after update on accounts for each row execute function record_configuration_change('id')",
    );
  }
});

test("a change is not missed if its transaction commits after one that started later", async () => {
  await start();
  const cache = createCache();
  await withOpenTransaction(async (early) => {
    await rename("Early", early);
    const later = await createAccount();
    await other.query("update accounts set name = 'Later' where id = $1", [uuidOf(later)]);
    await cache.get(account);
    // During this pause, the feed reads several times and moves past the later transaction.
    await sleep(700);
    await early.query("commit");
    const committedAt = performance.now();
    while ((await cache.get(account))?.name !== "Early") await sleep(1);
    assert.ok(performance.now() - committedAt < slowed(1_000));
  });
});

test("an old transaction that stays open does not invalidate values again and again", async () => {
  await start();
  const cache = createCache();
  await withOpenTransaction(async (open) => {
    await open.query("select pg_current_xact_id()");
    await rename("Two");
    await until(
      () => cache.get(account),
      (found) => found?.name === "Two",
    );
    await sleep(300);
    await cache.get(account);
    const before = reads;
    for (let times = 0; times < 10; times++) {
      await sleep(100);
      await cache.get(account);
    }
    assert.equal(reads, before);
  });
});

test("while the feed cannot be read, values are read again within a second", async () => {
  await start();
  const cache = createCache();
  await cache.get(account);
  connectError = new Error("cut by a test");
  await cutFeed();
  assert.ok((await timeUntilSeen(cache, "Two")) < slowed(1_000));
  assert.ok((await timeUntilSeen(cache, "Three")) < slowed(1_000));
  connectError = null;
  await sleep(1_500);
  await cache.get(account);
  const before = reads;
  await sleep(maxStalenessMs + 200);
  await cache.get(account);
  assert.equal(reads, before);
});

test("a change that is committed while the feed is cut is seen after it reconnects", async () => {
  await start();
  const cache = createCache();
  await cache.get(account);
  await cutFeed();
  assert.ok((await timeUntilSeen(cache, "Two")) < slowed(1_000));
});

test("a value whose read began before a change is not kept after the change", async () => {
  await start();
  const cache = createCache();
  readDelayMs = 400;
  const slow = cache.get(account);
  await sleep(100);
  readDelayMs = 0;
  const before = feed.position();
  await rename("Two");
  await until(
    async () => feed.position(),
    (position) => position > before,
  );
  assert.equal((await cache.get(account))?.name, "Two");
  assert.equal((await slow)?.name, "One");
  assert.equal((await cache.get(account))?.name, "Two");
});

test("while the feed cannot be read, a slow read is shared for less than a second", async () => {
  await start();
  const cache = createCache();
  connectError = new Error("cut by a test");
  await cutFeed();
  readDelayMs = 3_000;
  const slow = cache.get(account);
  await sleep(100);
  readDelayMs = 0;
  await rename("Two");
  await sleep(maxStalenessMs);
  assert.equal((await cache.get(account))?.name, "Two");
  await slow;
  connectError = null;
});

test("a change by this process takes effect immediately", async () => {
  await start();
  const cache = createCache();
  await cache.get(account);
  await rename("Two");
  feed.invalidate(account);
  assert.equal((await cache.get(account))?.name, "Two");
});

test("failures and missing values are not cached, and concurrent callers share a read", async () => {
  await start();
  const cache = createCache();
  const missing = newId("acct", new Date());
  assert.deepEqual(await Promise.all([cache.get(missing), cache.get(missing)]), [null, null]);
  assert.equal(reads, 1);
  assert.equal(await cache.get(missing), null);
  assert.equal(reads, 2);
  let attempts = 0;
  const failing = cacheUntilChanged<Named>(feed, {
    read: async () => {
      attempts += 1;
      throw new Error("unavailable");
    },
    accountOf: ({ id }) => id,
  });
  await assert.rejects(failing.get(account), /unavailable/);
  await assert.rejects(failing.get(account), /unavailable/);
  assert.equal(attempts, 2);
});

const changes: readonly (readonly [what: string, sql: string])[] = [
  ["a fee", "update accounts set fee_basis_points = 1 where id = $1"],
  ["a setting", "insert into account_settings (account_id, livemode) values ($1, false)"],
  ["a key", "update api_keys set revoked_at = now() where account_id = $1"],
  [
    "an endpoint's URL",
    "update webhook_endpoints set url = 'http://127.0.0.1:2/' where account_id = $1",
  ],
  [
    "an endpoint's first failure",
    "update webhook_endpoints set failing_since = now() where account_id = $1",
  ],
  ["a deleted endpoint", "delete from webhook_endpoints where account_id = $1"],
  [
    "a rule",
    "insert into rule_set_revisions (account_id, livemode, revision) values ($1, false, 1)",
  ],
];

const connectionChanges: readonly (readonly [what: string, sql: string])[] = [
  [
    "a connection",
    `insert into processor_connections (id, processor, name, environment, endpoint_key, settings)
     values ($2, 'adyen', 'Adyen', 'sandbox', repeat('k', 32), '{"merchant_account": "FieldwareECOM"}')`,
  ],
  [
    "a connection's rate limit",
    "update processor_connections set requests_per_second = 20 where id = $2",
  ],
  [
    "an assignment",
    `insert into processor_assignments (account_id, id, connection_id, merchant_account, mcc, priority)
     values ($1, gen_random_uuid(), $2, 'FieldwareECOM', '5941', 1)`,
  ],
  [
    "an assignment's end",
    "update processor_assignments set state = 'ended', ended_at = now() where connection_id = $2",
  ],
  [
    "routing rules",
    `insert into routing_rules (account_id, version, rules, created_at) values ($1, 1, '[]', now())`,
  ],
];

test("a change of a connection or an assignment invalidates only the cache of connections", async () => {
  await start();
  const cache = createCache();
  await cache.get(account);
  const connection = uuidOf(newId("con", new Date()));
  for (const [what, sql] of connectionChanges) {
    const [position, readAt] = [feed.position(), performance.now()];
    const isCurrent = () => feed.isCurrent("connections", position, readAt);
    assert.equal(isCurrent(), true);
    // The CTE gives each parameter a type, because some statements use only one of the two.
    await other.query(`with used as (select $1::uuid, $2::uuid) ${sql}`, [
      uuidOf(account),
      connection,
    ]);
    await until(
      async () => isCurrent(),
      (current) => !current,
    );
    assert.ok(performance.now() - readAt < slowed(maxStalenessMs), what);
  }
  await cache.get(account);
  assert.equal(reads, 1);
});

test("each kind of configuration records a change of its account, and other updates do not", async () => {
  const id = uuidOf(account);
  await other.query(
    `insert into api_keys (hash, id, account_id, livemode, name, last4, created_at)
     values ('\\x01', gen_random_uuid(), $1, false, 'Key', '0000', now())`,
    [id],
  );
  await other.query(
    `insert into webhook_endpoints (account_id, livemode, id, url, enabled_events, secret)
     values ($1, false, gen_random_uuid(), 'http://127.0.0.1:1/', '{*}', '\\x01')`,
    [id],
  );
  const count = async () =>
    (
      await other.query(
        "select count(*)::int as n from configuration_changes where account_id = $1",
        [id],
      )
    ).rows[0].n;
  const unchanged = await count();
  await other.query("update api_keys set last_used_at = now() where account_id = $1", [id]);
  await other.query("update webhook_endpoints set failures = failures + 1 where account_id = $1", [
    id,
  ]);
  assert.equal(await count(), unchanged);
  for (const [what, sql] of changes) {
    const before = await count();
    await other.query(sql, [id]);
    assert.equal(await count(), before + 1, what);
  }
});
