import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { startEmbeddedPostgres } from "@florin/server/platform/database/embedded.ts";
import { migrate } from "@florin/server/platform/database/migrate.ts";
import { approvedCard } from "@florin/server/test/adyen.ts";
import { createCardholder } from "@florin/server/test/cardholder.ts";
import { startConnectedAdyenShop } from "@florin/server/test/conformance/adyen-shop.ts";
import { apiKey, hmacKey } from "@florin/server/test/connection.ts";
import { formsInRows, formsOf } from "@florin/server/test/secret-forms.ts";
import { until } from "@florin/server/test/until.ts";
import pg from "pg";

/*
 * Searches a backup of a service that has charged cards over Adyen. One test searches the bytes of the files. Postgres
 * compresses long values, so another test starts a Postgres on the backup and searches every row.
 */
const home = await mkdtemp(join(tmpdir(), "florin-backup-secrets-"));
const log = () => undefined;
const postgres = await startEmbeddedPostgres({ directory: join(home, "data"), log });
await useUpTransactionIds(postgres.url);
await migrate(postgres.url);
const database = { url: postgres.url, drop: async () => undefined };
const { shop, adyen, checkout, pay, payUntil, chargeWith, get, post, refundWith, paymentOf } =
  await startConnectedAdyenShop({ database });
// This hook is registered after the shop's hook, so that Postgres stops last.
after(async () => {
  await postgres.stop();
  await rm(home, { recursive: true });
});

const amex = { number: "370000000000002", cvc: "7373" };
const mastercard = { number: "5555341244441115", cvc: "737" };
/** Adyen declines a payment with this security code. */
const declined = { number: "4988438843884305", cvc: "839" };
const cards = [approvedCard, amex, mastercard, declined];
/** A name that only the card form receives. */
const typedName = "Zacharias Quillfeather";
/** Evidence that is so long that Postgres compresses it. */
const evidence = { uncategorized_text: "The parcel was delivered. ".repeat(400) };

/** Runs a payment of each kind, up to its settlement. */
async function runPayments(): Promise<void> {
  const typeAndPay = async ({ number, cvc }: typeof amex, params: object, save?: boolean) => {
    const browser = await checkout(params);
    const { payment_method_id } = (await browser.type(number, { cvc, name: typedName })).body;
    await browser.confirm(payment_method_id, undefined, save);
    const { data } = await get(`/charges?checkout_session_id=${browser.session}`);
    return { charge: data[0].id as string, payment_method_id };
  };

  // Payments by card: one that is refunded in part, one that is disputed, and one that is declined.
  const refunded = await payUntil("succeeded");
  const refund = await post("/refunds", { charge_id: refunded.id, amount: 500 });
  await refundWith(refund.body.id, "succeeded");
  const disputed = await typeAndPay(amex, {});
  await chargeWith(disputed.charge, "succeeded");
  await disputeWithEvidence(disputed.charge);
  await chargeWith((await typeAndPay(declined, {})).charge, "failed");

  // A payment by saved card.
  const customer_id = (await post("/customers", { name: "Ada" })).body.id;
  const { payment_method_id } = await typeAndPay(
    mastercard,
    { customer_id, save_payment_method: true },
    true,
  );
  const bySavedCard = { amount: 500, currency: "usd", payment_method_id, off_session: true };
  assert.equal((await post("/charges", bySavedCard)).body.status, "succeeded");

  // A payment with 3-D Secure, and one whose outcome is reported only by the notification.
  await payWithRedirect();
  await adyen.fault("payments", "cut_before_response");
  await payUntil("succeeded");

  await adyen.control("POST settlements", { merchantAccount: "FieldwareECOM" });
  await until(
    () =>
      shop.app.database.read<{
        applied_at: Date | null;
      }>`select applied_at from settlement_reports`,
    ([report]) => report !== undefined && report.applied_at !== null,
  );
}

async function disputeWithEvidence(charge: string): Promise<void> {
  const { pspReference } = (await paymentOf(charge)) as unknown as { pspReference: string };
  await adyen.control("POST disputes", { payment: pspReference, reasonCode: "13.1" });
  const { data } = await until(
    () => get(`/disputes?charge_id=${charge}`),
    (list) => list.data.length === 1,
  );
  await post(`/disputes/${data[0].id}/evidence`, evidence);
  await until(
    () => get(`/disputes/${data[0].id}`),
    ({ status }) => status === "won",
  );
}

async function payWithRedirect(): Promise<void> {
  const browser = await checkout({ three_d_secure: "always" });
  const { id } = await pay(browser);
  const { next_action } = (await browser.readSession()).body;
  const cardholder = createCardholder(shop, next_action.url);
  await cardholder.begin();
  await cardholder.authenticate();
  const { url } = (await cardholder.challenge()).body;
  const body = new URLSearchParams({ outcome: "authenticate" });
  const page = await fetch(url, { method: "POST", body, redirect: "manual" });
  await fetch(page.headers.get("location") as string);
  await chargeWith(id, "succeeded");
}

/**
 * Uses up the transaction IDs with three or four digits. Some rows contain the ID of their transaction, and a new
 * cluster begins with IDs that can be equal to a security code.
 */
async function useUpTransactionIds(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set synchronous_commit = off");
  await client.query(
    "do $$ begin while pg_current_xact_id() < '10000'::xid8 loop commit; end loop; end $$",
  );
  await client.end();
}

/** Runs `florin backup`, and returns the directory of the backup. */
async function backUp(): Promise<string> {
  const target = join(home, "backup");
  const { DATABASE_URL: _, ...env } = process.env;
  const settings = { FLORIN_DATA: join(home, "data"), FLORIN_KEYS: shop.settings.FLORIN_KEYS };
  const florin = join(import.meta.dirname, "florin.ts");
  await promisify(execFile)(process.execPath, [florin, "backup", target], {
    env: { ...env, ...settings },
  });
  return target;
}

type File = { readonly path: string; readonly bytes: Buffer };

async function filesIn(directory: string): Promise<File[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return Promise.all(paths.map(async (path) => ({ path, bytes: await readFile(path) })));
}

type Row = { readonly table: string; readonly text: string; readonly row: object };

/**
 * Returns every row of the backup, and the values that Postgres has sampled from the columns for its query planner.
 */
async function rowsOf(backup: string): Promise<Row[]> {
  const restored = await startEmbeddedPostgres({ directory: backup, log });
  const client = new pg.Client({ connectionString: restored.url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')
       union all select 'pg_stats'`,
    );
    const all: Row[] = [];
    for (const { name: table } of tables) {
      const { rows } = await client.query(
        `select t::text as text, to_jsonb(t) as row from ${table} t`,
      );
      for (const { text, row } of rows) all.push({ table, text, row });
    }
    return all;
  } finally {
    await client.end();
    await restored.stop();
  }
}

/** Returns every text in the value, the numbers in objects as text, and the contents of JSON that is stored as text. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") {
    return /^[{[]/.test(value) ? [value, ...textsIn(parsed(value))] : [value];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((one) =>
    typeof one === "number" ? String(one) : textsIn(one),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text is not JSON. It may be an array of Postgres, for example.
    return null;
  }
}

const codes = [...new Set(cards.map(({ cvc }) => cvc))];

/**
 * A security code has too few digits to be distinctive in arbitrary bytes. The test finds a code only after a field
 * name such as `cvc`, or as a complete value.
 */
const namedCode = new RegExp(`(cvc|cvv|security_?code)2?\\W{0,8}(${codes.join("|")})(?!\\d)`, "i");
const codeValues = codes.flatMap((code) => [
  code,
  Buffer.from(code).toString("base64"),
  `\\x${Buffer.from(code).toString("hex")}`,
]);

await runPayments();
await shop.app.database.transaction((tx) => tx`analyze`);
const backup = await backUp();
const keyFiles = await filesIn(shop.settings.FLORIN_KEYS);
const secrets: readonly (readonly [name: string, secret: string | Buffer])[] = [
  ...cards.map(({ number }) => ["a card number", number] as const),
  ["a typed name", typedName],
  ["the API key of Adyen", apiKey],
  ["the HMAC key of Adyen", hmacKey],
  ["the HMAC key of Adyen", Buffer.from(hmacKey, "hex")],
  ...keyFiles.map(({ path, bytes }) => [path, bytes] as const),
];

test("no file of a backup contains a card number, a security code or a key", async () => {
  const files = await filesIn(backup);
  const found = (form: string) => files.filter(({ bytes }) => bytes.includes(form, 0, "latin1"));
  // The search finds text that is not encrypted, so it would also find a secret. It does not find compressed text. The
  // next test covers compressed text.
  assert.notDeepEqual(found("FieldwareECOM"), []);
  assert.deepEqual(found(evidence.uncategorized_text), []);
  for (const [name, secret] of secrets) {
    for (const form of formsOf(secret)) {
      const paths = found(form).map(({ path }) => path);
      assert.deepEqual(paths, [], `${name} is in the backup`);
    }
  }
  for (const { path, bytes } of files)
    assert.doesNotMatch(bytes.toString("latin1"), namedCode, path);
});

test("no row of a restored backup contains a card number, a security code or a key", async () => {
  const rows = await rowsOf(backup);
  const found = (form: string) => rows.filter(({ text }) => text.includes(form));
  assert.notDeepEqual(found(evidence.uncategorized_text), []);
  for (const [name, secret] of secrets) {
    for (const form of formsInRows(secret)) {
      const tables = found(form).map(({ table }) => table);
      assert.deepEqual(tables, [], `${name} is in the backup`);
    }
  }
  for (const { table, text, row } of rows) {
    assert.doesNotMatch(text, namedCode, table);
    const values = new Set(textsIn(Object.values(row).filter((one) => typeof one !== "number")));
    for (const value of codeValues) assert.ok(!values.has(value), `a security code is in ${table}`);
  }
});
