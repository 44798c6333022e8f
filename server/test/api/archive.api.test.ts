import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { readCsv } from "../../src/acquiring/csv.ts";
import {
  ArchiveDamaged,
  listArchives,
  readArchive,
} from "../../src/admin/retention/archive-files.ts";
import { type ArchiveDeps, archivePayments } from "../../src/admin/retention/archive-payments.ts";
import { type ChargeId, createdAt, newId, uuidOf } from "../../src/core/ids.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { updateCheckpoints } from "../../src/payments/balance/checkpoint.jobs.ts";
import { recountHour } from "../../src/payments/commit/recount-hour.sql.ts";
import { createCheckout } from "../checkout.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { day, skipEndOfDay } from "../test-clock.ts";

const shop = await startShop();
skipEndOfDay(shop.clock);
const root = await mkdtemp(join(tmpdir(), "florin-archive-"));
after(async () => {
  await shop.close();
  await rm(root, { recursive: true, force: true });
});
const { database } = shop.app;
const afterDays = 550;
const twoYears = 730 * day;
const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

type Key = typeof shop.merchant.key;
const archive = (directory: string, deps: Partial<ArchiveDeps> = {}) =>
  archivePayments({ database, clock: shop.clock, ...deps }, { directory, afterDays });
const newDirectory = () => mkdtemp(join(root, "archives-"));
const balanceOf = async (as: Key) => (await shop.get("/balance", { as })).body;
/** Returns the metrics of the week in which the old payments were made. */
const metricsOf = async (as: Key) => {
  const from = Math.floor((shop.clock.now().getTime() - twoYears) / 1000) - 2 * 86_400;
  return (await shop.get(`/metrics/payments?from=${from}&to=${from + 7 * 86_400}`, { as })).body;
};
const pay = async (as: Key, change = {}) =>
  (await shop.post("/charges", { ...visa, ...change }, { as })).body;

/** Creates payments of every kind, all of which are final. */
async function makePayments(as: Key) {
  const paid = await pay(as);
  await pay(as, {
    payment_method_id: "pm_card_visa_chargeDeclined",
    description: 'a "quoted", text\nof two lines',
  });
  const refunded = await pay(as);
  const { body: refund } = await shop.post(
    "/refunds",
    { charge_id: refunded.id, amount: 500 },
    { as },
  );
  await shop.post("/refunds", { charge_id: refunded.id, amount: 300 }, { as });
  const held = await pay(as, { capture_method: "manual" });
  await shop.post(`/charges/${held.id}/capture`, { amount: 1000 }, { as });
  const canceled = await pay(as, { capture_method: "manual" });
  await shop.post(`/charges/${canceled.id}/cancel`, {}, { as });
  const { body: decision } = await shop.post("/decisions", visa, { as });
  await pay(as, { decision_id: decision.id });
  await shop.post("/decisions", visa, { as });
  const disputed = await pay(as);
  const { body: dispute } = await shop.post(
    "/test_helpers/disputes",
    { charge_id: disputed.id },
    { as },
  );
  assert.equal((await shop.post(`/disputes/${dispute.id}/accept`, {}, { as })).status, 200);
  // Waits until the acquirer has confirmed that the merchant accepts the dispute.
  await until(
    () =>
      database.read`select from disputes where id = ${uuidOf(dispute.id)} and response_due_at is null`,
    (confirmed) => confirmed.length === 1,
  );
  return { paid, refunded, refund, dispute };
}

/** Lets the jobs drop old events and update the checkpoints. Deletes the idempotency keys, which expire after a day. */
async function expireKeys(): Promise<void> {
  await shop.timers.turn();
  await database.transaction((tx) => tx`delete from idempotency_keys`);
  while (!(await updateCheckpoints(database)));
}

/** Creates a merchant with payments of two years ago. */
async function merchantWithOldPayments() {
  const merchant = await shop.createMerchant();
  shop.clock.advance(-twoYears);
  const made = await makePayments(merchant.key);
  shop.clock.advance(twoYears);
  await expireKeys();
  return { ...merchant, as: merchant.key, ...made };
}

async function countRows(account: string): Promise<Record<string, number>> {
  const tables = ["charges", "operations", "disputes", "ledger_transfers", "decisions"];
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const rows = await database.read<{ count: number }>(
      {
        name: `archive count ${table}`,
        text: `select count(*) as count from ${table} where account_id = $1`,
      },
      account,
    );
    counts[table] = rows[0]?.count ?? 0;
  }
  return counts;
}

async function assertConsistent(): Promise<void> {
  const { results } = await verify(database);
  assert.deepEqual(
    results.flatMap(({ name, sentences }) => (sentences.length > 0 ? [[name, sentences]] : [])),
    [],
  );
}

test("payments of two years ago are moved to an archive, and nothing else changes", async () => {
  const { as, account, paid, refunded, refund, dispute } = await merchantWithOldPayments();
  const recent = await pay(as);
  await expireKeys();
  const [balance, counts] = [await balanceOf(as), await countRows(uuidOf(account))];
  assert(counts.charges === 8 && (counts.decisions ?? 0) === 2);
  const metrics = await metricsOf(as);
  assert.deepEqual(
    [metrics.funnel.refunded, metrics.funnel.disputed, metrics.funnel.payments],
    [1, 1, 7],
  );
  const directory = await newDirectory();

  const result = await archive(directory);
  assert.deepEqual([result.archives, result.charges, result.isBusy], [1, 7, false]);
  assert.deepEqual(await countRows(uuidOf(account)), {
    charges: 1,
    operations: 0,
    disputes: 0,
    ledger_transfers: 2,
    decisions: 0,
  });
  assert.deepEqual(await balanceOf(as), balance);
  await assertConsistent();
  assert.deepEqual(await metricsOf(as), metrics);
  // The hour must not be counted again, because the count would omit the archived payments.
  const scope = { account, livemode: false };
  const at = createdAt(paid.id);
  await database.transaction((tx) => recountHour(tx, scope, at, shop.clock.now()));
  await expireKeys();
  assert.deepEqual(await metricsOf(as), metrics);

  // The balance stays correct when the test clock makes the payments that are not archived available.
  await shop.post("/test_helpers/clock/advance", { seconds: 3_600 }, { as });
  assert.deepEqual(await balanceOf(as), balance);
  await assertConsistent();

  const [path = ""] = await listArchives(directory);
  const { manifest } = await readArchive(path);
  assert.deepEqual(
    [manifest.account, manifest.livemode, manifest.charges.count, manifest.charges.first],
    [account, false, 7, paid.id],
  );
  const rows = manifest.files.reduce((sum, file) => sum + file.rows, 0);
  assert.equal(rows, result.rows);
  const [header, ...charges] = await tableOf(path, "charges");
  assert.equal(charges.length, 7);
  const description = header?.indexOf("description") ?? -1;
  assert(charges.some((row) => row[description] === 'a "quoted", text\nof two lines'));

  // The response to a read says that payments of that time are archived, even if the ID never existed.
  const note = /Payments created before \d{4}-\d\d-\d\d are archived\.$/;
  const never = newId("ch", new Date(shop.clock.now().getTime() - twoYears));
  for (const url of [
    `/charges/${paid.id}`,
    `/charges/${never}`,
    `/refunds/${refund.id}`,
    `/disputes/${dispute.id}`,
    `/charges/${paid.id}/timeline`,
  ]) {
    const reply = await shop.get(url, { as });
    assert.deepEqual(errorOf(reply), [404, "invalid_request_error", "resource_missing", "id"]);
    assert.match(reply.body.error.message, note, url);
  }
  const refusal = await shop.post("/refunds", { charge_id: refunded.id }, { as });
  assert.deepEqual(errorOf(refusal), [
    400,
    "invalid_request_error",
    "resource_missing",
    "charge_id",
  ]);
  assert.match(refusal.body.error.message, note);
  const unknown = await shop.get(`/charges/${newId("ch", shop.clock.now())}`, { as });
  assert.doesNotMatch(unknown.body.error.message, /archived/);
  const other = await shop.get(`/charges/${paid.id}`);
  assert.doesNotMatch(other.body.error.message, /archived/, "another merchant has no archive");

  const list = (await shop.get("/charges?limit=100", { as })).body.data;
  assert.deepEqual(
    list.map(({ id }: { id: string }) => id),
    [recent.id],
  );
  const again = await archive(directory);
  assert.deepEqual([again.archives, again.rows, again.unrecorded], [0, 0, []]);
});

async function tableOf(directory: string, table: string): Promise<string[][]> {
  const text = gunzipSync(await readFile(join(directory, `${table}.csv.gz`))).toString();
  const rows: string[][] = [];
  for await (const row of readCsv([text])) rows.push(row);
  return rows;
}

test("a payment that can still change is not archived", async () => {
  const { key: as, account } = await shop.createMerchant();
  shop.clock.advance(-twoYears);
  const lately = await pay(as);
  await shop.post("/charges", visa, { as, key: "kept for a day" });
  const disputed = await pay(as);
  const closed = await pay(as);
  const { body: dispute } = await shop.post(
    "/test_helpers/disputes",
    { charge_id: closed.id },
    { as },
  );
  await pay(as, { capture_method: "manual" });
  shop.clock.advance(twoYears);
  // The dispute was opened two years ago, and is closed today.
  await shop.post(`/test_helpers/disputes/${dispute.id}/close`, { outcome: "won" }, { as });
  // Creates a refund and a dispute today.
  assert.equal(
    (await shop.post("/refunds", { charge_id: lately.id, amount: 1 }, { as })).status,
    201,
  );
  await shop.post("/test_helpers/disputes", { charge_id: disputed.id }, { as });
  while (!(await updateCheckpoints(database)));
  const before = await countRows(uuidOf(account));
  await archive(await newDirectory());
  assert.deepEqual(await countRows(uuidOf(account)), before);
  await expireKeys();
  assert.equal((await archive(await newDirectory())).charges, 1, "the key has expired");
});

test("the charges of a checkout session are archived together with it", async () => {
  shop.clock.advance(-twoYears);
  const browser = await createCheckout(shop);
  await browser.pay("4000000000000002");
  await browser.pay("4242424242424242");
  shop.clock.advance(twoYears);
  await expireKeys();
  await shop.timers.turn();
  await archive(await newDirectory());
  assert.equal((await shop.get(`/checkout_sessions/${browser.session}`)).status, 404);
  await assertConsistent();
});

test("a batch with a row that changed after the archive was written is archived again", async () => {
  const { account, refunded } = await merchantWithOldPayments();
  const directory = await newDirectory();
  let written = 0;
  const onStep = async (step: string) => {
    if (step === "written" && ++written === 1) await describe(refunded.id, "changed");
  };
  const { archives, charges, skipped } = await archive(directory, { onStep });
  assert.deepEqual([written, archives, charges, skipped], [2, 1, 7, 0]);
  const [path = "", ...others] = await listArchives(directory);
  assert.deepEqual(others, []);
  const [header = [], ...rows] = await tableOf(path, "charges");
  const description = header.indexOf("description");
  assert(rows.some((row) => row[description] === "changed"));
  assert.equal((await countRows(uuidOf(account))).charges, 0);
});

test("a batch whose rows change again and again stays in the database, and the others are archived", async () => {
  const [one, other] = [await merchantWithOldPayments(), await merchantWithOldPayments()];
  const before = await countRows(uuidOf(one.account));
  const directory = await newDirectory();
  let changes = 0;
  const onStep = async (step: string) => {
    if (step === "written") await describe(one.refunded.id, `change ${++changes}`);
  };
  const { charges, skipped } = await archive(directory, { onStep });
  assert.deepEqual([charges, skipped], [7, 7]);
  assert.deepEqual(await countRows(uuidOf(one.account)), before);
  assert.equal((await countRows(uuidOf(other.account))).charges, 0);
  assert.equal((await listArchives(directory)).length, 1);
  const again = await archive(directory);
  assert.deepEqual([again.charges, again.unrecorded], [7, []]);
});

async function describe(charge: ChargeId, description: string): Promise<void> {
  await database.transaction(
    (tx) => tx`update charges set description = ${description} where id = ${uuidOf(charge)}`,
  );
}

test("no row is deleted if the archive cannot be written, and a damaged or missing file is found", async () => {
  const { account } = await merchantWithOldPayments();
  const before = await countRows(uuidOf(account));
  const directory = await newDirectory();
  const file = join(directory, "file");
  await writeFile(file, "");
  await assert.rejects(archive(join(file, "archives")), { code: "ENOTDIR" });
  assert.deepEqual(await countRows(uuidOf(account)), before);

  await archive(directory);
  const [path = ""] = await listArchives(directory);
  await readArchive(path);
  const [charges, operations] = [join(path, "charges.csv.gz"), join(path, "operations.csv.gz")];
  const content = await readFile(charges);
  await writeFile(charges, "not the charges");
  await assert.rejects(readArchive(path), ArchiveDamaged);
  await writeFile(charges, content);
  await rm(operations);
  await assert.rejects(readArchive(path), ArchiveDamaged);
});

for (const step of ["read", "written", "deleting", "deleted"]) {
  test(`a process that is killed at the step "${step}" loses no row`, async () => {
    const { account, as } = await merchantWithOldPayments();
    const [balance, before] = [await balanceOf(as), await countRows(uuidOf(account))];
    const directory = await newDirectory();
    const child = spawn(
      process.execPath,
      [
        join(import.meta.dirname, "../archive-in-child.ts"),
        shop.settings.DATABASE_URL,
        shop.settings.FLORIN_KEYS,
        directory,
        step,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");

    const isDeleted = step === "deleted";
    await until(
      () => countRows(uuidOf(account)),
      ({ charges }) => charges === (isDeleted ? 0 : before.charges),
    );
    const result = await until(
      () => archive(directory),
      ({ isBusy }) => !isBusy,
    );
    assert.equal(result.charges, isDeleted ? 0 : 7);
    const archives = await listArchives(directory);
    assert.equal(archives.length, 1);
    const { manifest } = await readArchive(archives[0] ?? "");
    assert.equal(manifest.charges.count, 7);
    const ledger = manifest.files.find(({ table }) => table === "ledger_transfers");
    assert.equal(ledger?.rows, before.ledger_transfers);
    assert(
      !(await readdir(directory)).some((name) => name.startsWith(".")),
      "nothing is left over",
    );
    assert.deepEqual(await balanceOf(as), balance);
    await assertConsistent();
  });
}

test("florin retain prints what it would archive, archives it with --run, and --check finds damage", async () => {
  const { account } = await merchantWithOldPayments();
  const directory = await newDirectory();
  const florin = (...arguments_: string[]) =>
    promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, "../../../cli/florin.ts"), "retain", ...arguments_],
      {
        env: {
          ...process.env,
          ...shop.settings,
          FLORIN_ARCHIVE: directory,
          FLORIN_ARCHIVE_AFTER_DAYS: "550",
        },
      },
    );
  assert.match((await florin()).stdout, /7 charges created before .* would be archived/);
  assert.equal((await countRows(uuidOf(account))).charges, 7);
  assert.match((await florin("--run")).stdout, /7 charges created before .* archived/);
  assert.equal((await countRows(uuidOf(account))).charges, 0);
  const [path = ""] = await listArchives(directory);
  await database.transaction(
    (tx) => tx`delete from archives where account_id <> ${uuidOf(account)}`,
  );
  assert.match((await florin("--check")).stdout, /^1 archives, 0 missing or damaged/m);
  await writeFile(join(path, "charges.csv.gz"), "damaged");
  await assert.rejects(florin("--check"), ({ stdout, code }: { stdout: string; code: number }) => {
    assert.match(stdout, /^FAIL .*The SHA-256 of .* differs from the manifest/m);
    return code === 1;
  });
});
