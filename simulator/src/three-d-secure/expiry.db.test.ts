import assert from "node:assert/strict";
import { after, test } from "node:test";
import { connectDatabase } from "@florin/server/platform/database/database.ts";
import { createTestDatabase } from "@florin/server/test/database.ts";
import { deleteOldTransactions } from "./challenge.sql.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({
  url: testDatabase.url,
  poolSize: 2,
  onIdleError: () => undefined,
});
after(async () => {
  await database.close();
  await testDatabase.drop();
});

const deleteOld = (limit: number) => database.transaction((tx) => deleteOldTransactions(tx, limit));

async function countAll() {
  const [row] = await database.read<{ challenges: number; transactions: number }>`
    select (select count(*) from simulator.challenges) as challenges,
           (select count(*) from simulator.directory_transactions) as transactions`;
  return row;
}

test("only records older than a day are deleted, in batches", async () => {
  await database.transaction(async (tx) => {
    await tx`
      insert into simulator.directory_transactions
             (ds_transaction_id, three_ds_server_transaction_id, three_ds_server_url, created_at)
      select gen_random_uuid(), gen_random_uuid(), 'http://127.0.0.1/', now() - n * interval '10 hours'
        from generate_series(0, 9) as n`;
    await tx`
      insert into simulator.challenges
             (acs_transaction_id, ds_transaction_id, three_ds_server_transaction_id, behavior, brand, last4,
              merchant_name, amount, currency, exponent, notification_url, directory_url, state, created_at)
      select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'passes', 'visa', '4242', 'Fieldware', '1999',
             '840', 2, 'http://127.0.0.1/', 'http://127.0.0.1/', 'created', now() - n * interval '10 hours'
        from generate_series(0, 4) as n`;
  });
  assert.equal(await deleteOld(4), true, "more rows are left");
  assert.deepEqual(await countAll(), { challenges: 3, transactions: 6 });
  assert.equal(await deleteOld(4), false);
  assert.deepEqual(await countAll(), { challenges: 3, transactions: 3 });
});
