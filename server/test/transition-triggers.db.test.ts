import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createTestDatabase } from "./database.ts";

test("a transition that the tables do not list is rejected in a test database, and the error names it", async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(`
      insert into payouts (account_id, livemode, id, status, amount, currency, arrives_at)
      values (gen_random_uuid(), false, gen_random_uuid(), 'paid', 1, 'usd', now())`);
    await assert.rejects(
      client.query("update payouts set status = 'pending', due_at = now()"),
      /payouts: no transition from paid to pending/,
    );
    await client.query("update payouts set status = 'paid', amount = 2");
  } finally {
    await client.end();
    await database.drop();
  }
});
