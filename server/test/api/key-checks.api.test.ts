import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { systemClock } from "../../src/core/clock.ts";
import { connectDatabase, type Database } from "../../src/platform/database/database.ts";
import { StartupError } from "../../src/platform/database/startup-error.ts";
import { checkKeys } from "../../src/vault/key-checks.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { createCheckout } from "../checkout.ts";
import { createTestDatabase } from "../database.ts";
import { startShop } from "../shop.ts";

const testDatabase = await createTestDatabase();
const shop = await startShop({ workers: false, database: testDatabase });
const checkout = await createCheckout(shop);
await checkout.type("4242424242424242");
const database = connectDatabase({
  url: testDatabase.url,
  poolSize: 2,
  onIdleError: () => undefined,
});
const home = await mkdtemp(join(tmpdir(), "florin-key-checks-"));
after(async () => {
  // A test has closed the shop, unless it failed before.
  await shop.app.close().catch(() => undefined);
  await database.close();
  await testDatabase.drop();
  await rm(dirname(shop.settings.FLORIN_KEYS), { recursive: true });
  await rm(home, { recursive: true });
});

/** Returns the path of a directory that contains a copy of the shop's keys or, with `empty`, no keys. */
async function directoryOfKeys(name: string, copied: "copy" | "empty"): Promise<string> {
  const directory = join(home, name);
  if (copied === "copy") await cp(shop.settings.FLORIN_KEYS, directory, { recursive: true });
  return directory;
}

/** Runs the key check that every server runs at its start. */
function check(directory: string, checkedDatabase: Database = database): Promise<void> {
  const keys = createLocalKeyProvider(directory);
  return checkKeys({ database: checkedDatabase, keys, clock: systemClock });
}

async function rejectionOf(directory: string, checkedDatabase?: Database): Promise<string> {
  const error = await check(directory, checkedDatabase).then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StartupError, String(error));
  return error.message;
}

test("an empty key directory next to a database with data is rejected with an error that names the fix, and stays empty", async () => {
  const directory = await directoryOfKeys("empty", "empty");
  const message = await rejectionOf(directory);
  assert.ok(message.includes(`${join(directory, "live.1.key")} does not exist`), message);
  assert.match(message, /Set FLORIN_KEYS .* or restore .* does not replace a missing key\.$/);
  await assert.rejects(readdir(directory), /ENOENT/);
});

test("the server does not start if a key is missing", async () => {
  const florin = join(import.meta.dirname, "../../../cli/florin.ts");
  const FLORIN_KEYS = await directoryOfKeys("nothing", "empty");
  const env = { ...process.env, ...shop.settings, FLORIN_KEYS, FLORIN_DATA: join(home, "data") };
  const start = promisify(execFile)(process.execPath, [florin, "start"], {
    env: { ...env, PORT: "0", FLORIN_DEMO: "off" },
    timeout: 60_000,
  });
  await assert.rejects(start, ({ code, stderr }) => {
    assert.match(stderr, /^The key live\.1 is missing: .*nothing.*\n$/m);
    return code === 1;
  });
  await assert.rejects(readdir(FLORIN_KEYS), /ENOENT/);
});

test("each key of another database is rejected by name", async () => {
  const other = await directoryOfKeys("other", "empty");
  const elsewhere = createLocalKeyProvider(other);
  for (const livemode of [false, true]) {
    await elsewhere.wrap(livemode, Buffer.alloc(32), Buffer.alloc(0));
    await elsewhere.mac(livemode, Buffer.alloc(0));
  }
  assert.match(await rejectionOf(other), /^The key live\.1 is not the key that this database uses/);
  for (const id of ["test.1", "test.fingerprint", "live.fingerprint"]) {
    const mixed = await directoryOfKeys(`mixed-${id}`, "copy");
    await cp(join(other, `${id}.key`), join(mixed, `${id}.key`));
    assert.match(await rejectionOf(mixed), new RegExp(`^The key ${id} is not the key`));
    await rm(join(mixed, `${id}.key`));
    assert.match(await rejectionOf(mixed), new RegExp(`^The key ${id} is missing`));
  }
});

test("of two servers that start on an empty database with different keys, one is rejected", async () => {
  const empty = await createTestDatabase();
  const checkedDatabase = connectDatabase({ url: empty.url, poolSize: 2, onIdleError: () => {} });
  const outcomes = await Promise.allSettled([
    check(await directoryOfKeys("first", "empty"), checkedDatabase),
    check(await directoryOfKeys("second", "empty"), checkedDatabase),
  ]);
  await check(join(home, outcomes[0].status === "fulfilled" ? "first" : "second"), checkedDatabase);
  await checkedDatabase.close();
  await empty.drop();
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

test("a rotation registers the new key, and the retired key may be removed", async () => {
  const florin = join(import.meta.dirname, "../../../cli/florin.ts");
  const rotate = (...options: string[]) =>
    promisify(execFile)(process.execPath, [florin, "rotate-keys", ...options], {
      env: { ...process.env, ...shop.settings },
    });
  const before = await directoryOfKeys("before", "copy");
  await rotate();
  assert.match(await rejectionOf(before), /^The key test\.2 is missing/);

  const without = await directoryOfKeys("without", "copy");
  await rm(join(without, "test.1.key"));
  assert.match(await rejectionOf(without), /^The key test\.1 is missing/);
  await shop.app.close();
  await rotate("--finish");
  await check(without);
  await check(shop.settings.FLORIN_KEYS);

  await assert.rejects(
    promisify(execFile)(process.execPath, [florin, "rotate-keys"], {
      env: { ...process.env, ...shop.settings, FLORIN_KEYS: before },
    }),
    /The key test\.2 is missing/,
  );
  assert.deepEqual(
    (await readdir(before)).filter((name) => name.startsWith("test.")),
    ["test.1.key", "test.fingerprint.key"],
  );
});

test("a restored backup that predates a rotation works with the rotated keys, and the check registers them again", async () => {
  await database.transaction((tx) => tx`delete from key_checks where key_id = 'test.2'`);
  await check(shop.settings.FLORIN_KEYS);
  const rows = await database.read`select key_id from key_checks where key_id = 'test.2'`;
  assert.equal(rows.length, 1);
});

test("a database that predates the registration of keys gets no new keys, and accepts its own", async () => {
  await database.transaction((tx) => tx`delete from key_checks`);
  const directory = await directoryOfKeys("unregistered", "empty");
  assert.match(await rejectionOf(directory), /^The key test\.fingerprint is missing/);
  await assert.rejects(readdir(directory), /ENOENT/);
  await check(shop.settings.FLORIN_KEYS);
});
