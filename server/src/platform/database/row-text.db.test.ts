import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/any-character.ts";
import { createTestDatabase } from "../../../test/database.ts";
import { seed } from "../../../test/test-size.ts";
import { connectDatabase } from "./database.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 1, onIdleError: () => {} });
const { read, readRows } = database;
after(async () => {
  await database.close();
  await testDatabase.drop();
});

test("rows that are read as text have the same values as the driver's rows", async () => {
  const text = fc.option(
    fc.string({ unit: anyCharacter, maxLength: 300 }).map((one) => one.replaceAll("\0", "")),
    { nil: null },
  );
  const rows = fc.array(fc.tuple(text, fc.integer(), fc.boolean()), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(rows, async (values) => {
      const table = JSON.stringify(values.map(([a, b, c]) => ({ a, b, c })));
      const readText = readRows((row) => ({
        a: row.textOrNull(0),
        b: row.integer(1),
        c: row.boolean(2),
      }));
      const expected = values.map(([a, b, c]) => ({ a, b, c }));
      assert.deepEqual(
        await readText`select * from jsonb_to_recordset(${table}::jsonb) as t (a text, b integer, c boolean)`,
        expected,
      );
      const driverRows = await read`
        select * from jsonb_to_recordset(${table}::jsonb) as t (a text, b integer, c boolean)`;
      assert.deepEqual(driverRows, expected);
    }),
    { seed, numRuns: 100 },
  );
});

test("a conversion that throws fails its statement, and the connection stays usable", async () => {
  const failing = readRows(() => {
    throw new Error("not convertible");
  });
  await assert.rejects(failing`select generate_series(1, 1000)`, /not convertible/);
  assert.deepEqual(await readRows((row) => row.integer(0))`select 7`, [7]);
});

test("an error of Postgres fails the statement", async () => {
  const reading = readRows((row) => row.integer(0));
  await assert.rejects(reading`select 1 / n from generate_series(1, 0, -1) as n`, {
    code: "22012",
  });
  assert.deepEqual(await reading`select 7`, [7]);
});
