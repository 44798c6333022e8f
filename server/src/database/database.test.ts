import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { type Database, openDatabase } from "./database.ts";

let own: TestDatabase;
let database: Database;

before(async () => {
  own = await createTestDatabase();
  database = openDatabase({ url: own.url, poolSize: 2, onIdleError: () => undefined });
});

after(async () => {
  await database.close();
  await own.drop();
});

test("a connection that breaks between two statements fails its transaction, and nothing else", async () => {
  const broken = database.transaction(async (tx) => {
    const [row] = await tx<{ pid: number }>`select pg_backend_pid() as pid`;
    await database.read`select pg_terminate_backend(${row?.pid})`;
    await sleep(50);
    await tx`select 1`;
  });
  await assert.rejects(broken);

  const [row] = await database.transaction((tx) => tx<{ one: number }>`select 1 as one`);
  assert.equal(row?.one, 1);
});
