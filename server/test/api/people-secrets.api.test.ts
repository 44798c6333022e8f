import assert from "node:assert/strict";
import { after, test } from "node:test";
import { addAuthenticatorApp } from "../authenticator-app.ts";
import { tokenMailedTo } from "../mailbox.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

test("no credential is stored or logged in plain text", async () => {
  const person = await createPerson(shop);
  const headers = { "sec-fetch-site": "same-origin" };
  await shop.send("POST", "/auth/v1/reset", { body: { email: person.email }, headers });
  const link = await tokenMailedTo(shop, person.email);
  const app = await addAuthenticatorApp(shop, person);
  const body = { email: person.email, password: person.password, totp_code: app.code() };
  await shop.send("POST", "/auth/v1/sign_in", { body, headers });
  await shop.send("GET", "/auth/v1/me", { headers: { cookie: "__Host-florin_session=unknown" } });

  const secrets = {
    password: person.password,
    session: person.cookie().split("=")[1] as string,
    link,
    totp: app.secret,
    recovery: app.recoveryCodes[0] as string,
  };
  // Excludes queued emails, which contain their links until they are sent.
  const stored = await everyRow("mails");
  assert.ok(stored.some(({ row }) => row.includes(person.email)));
  const log = JSON.stringify(shop.log);
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret.length >= 12, name);
    const bytes = Buffer.from(secret).toString("hex");
    const exposed = stored.filter(({ row }) => row.includes(secret) || row.includes(bytes));
    assert.deepEqual(exposed, [], `${name} is stored in plain text`);
    assert.equal(log.includes(secret), false, `${name} is in the log`);
  }
});

/** Returns every row of the database as text, except those of one table. */
async function everyRow(except: string): Promise<{ table: string; row: string }[]> {
  const { read } = shop.app.database;
  const tables = await read<{ name: string; rows: string[] }>`
    select table_name as name,
           (xpath('/table/row/t/text()', query_to_xml(format('select t::text as t from public.%I t', table_name), true, false, '')))::text[] as rows
      from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> ${except}
  `;
  return tables.flatMap(({ name, rows }) => rows.map((row) => ({ table: name, row })));
}
