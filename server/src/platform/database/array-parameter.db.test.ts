import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { createTestDatabase } from "../../../test/database.ts";
import { idFromUuid } from "../../core/ids.ts";
import {
  bigints,
  booleans,
  byteas,
  integers,
  jsons,
  keysOf,
  rowsOf,
  smallints,
  texts,
  timestamps,
  uuids,
} from "./array-parameter.ts";
import { connectDatabase } from "./database.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 2, onIdleError: () => {} });
after(async () => {
  await database.close();
  await testDatabase.drop();
});

const same = <Value>(value: Value | null): Value | null => value;
const listOf = <Value>(value: fc.Arbitrary<Value>) => fc.array(fc.option(value), { maxLength: 12 });
const anyText = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));

test("columns of every type reach Postgres unchanged, including nulls", async () => {
  await fc.assert(
    fc.asyncProperty(
      listOf(anyText),
      listOf(fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })),
      listOf(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
      listOf(fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 })),
      listOf(fc.boolean()),
      listOf(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))),
      listOf(fc.uuid()),
      listOf(
        fc.date({ min: new Date(0), max: new Date("2285-01-01T00:00:00Z"), noInvalidDate: true }),
      ),
      async (text, big, int, small, truth, bytes, uuid, time) => {
        const [row] = await database.read<Record<string, unknown[]>>`
          select ${texts(text, same)}::text[] as text, ${bigints(big, same)}::bigint[]::text[] as big,
                 ${integers(int, same)}::integer[] as int, ${smallints(small, same)}::smallint[] as small,
                 ${booleans(truth, same)}::boolean[] as truth, ${byteas(bytes, same)}::bytea[] as bytes,
                 ${uuids(uuid, (one) => one && idFromUuid("ch", one))}::uuid[]::text[] as uuid,
                 ${timestamps(time, same)}::timestamptz[] as time`;
        const asTexts = big.map((one) => (one === null ? null : String(one === 0 ? 0 : one)));
        assert.deepEqual(row, { text, big: asTexts, int, small, truth, bytes, uuid, time });
      },
    ),
    { numRuns: 200 },
  );
});

for (const fromColumns of [rowsOf, keysOf]) {
  test(`${fromColumns.name}: rows have their column names, even in an empty batch`, async () => {
    const read = (items: readonly (string | null)[]) => {
      const columns = { place: integers(items, (_, index) => index), word: texts(items, same) };
      return database.read<{ place: number; word: string | null }>`
        select place, word from ${fromColumns(columns)} as t where place >= ${0}`;
    };
    await fc.assert(
      fc.asyncProperty(listOf(anyText), async (words) => {
        const rows = words.map((word, place) => ({ place, word }));
        assert.deepEqual(
          (await read(words)).map((row) => ({ ...row })),
          rows,
        );
      }),
      { numRuns: 50 },
    );
  });
}

test("lookups of a few keys in a large table use a cached plan", async () => {
  const idOf = (n: number) =>
    idFromUuid("ch", `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`);
  const plans = await database.transaction(async (tx) => {
    // The tests' Postgres never plans for the values of parameters.
    await tx`set local plan_cache_mode = auto`;
    await tx`create temporary table large (id uuid primary key, number integer not null) on commit drop`;
    await tx`
      insert into large
      select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, n from generate_series(1, 50000) as n`;
    await tx`analyze large`;
    for (let first = 1; first <= 40; first++) {
      const numbers = [first * 1_000, first * 1_000 + 1];
      const keys = keysOf({ id: uuids(numbers, idOf) });
      const found = await tx<{ number: number }>`
        select number from ${keys} as requested join large using (id) order by number`;
      assert.deepEqual(
        found.map(({ number }) => number),
        numbers,
      );
    }
    const [counts] = await tx<{ generic: number; custom: number }>`
      select generic_plans::integer as generic, custom_plans::integer as custom
        from pg_prepared_statements
       where statement like '%join large using%' and statement not like '%pg_prepared_statements%'`;
    return counts;
  });
  // Postgres plans the first five executions of every statement.
  assert.deepEqual({ ...plans }, { generic: 35, custom: 5 });
});

test("objects reach Postgres as JSON", async () => {
  const objects = [{ a: 'quote " and \\ and {NULL}', b: [1, null, { c: "😀" }] }, {}, null];
  const [row] = await database.read<{ back: unknown[] }>`
    select to_jsonb(${jsons(objects, same)}::jsonb[]) as back`;
  assert.deepEqual(row?.back, objects);
});

test("a column larger than the reused buffer is complete", async () => {
  const large = Array.from({ length: 50 }, (_, index) => "ä😀".repeat(4_000) + index);
  const [row] = await database.read<{
    back: string[];
  }>`select ${texts(large, same)}::text[] as back`;
  assert.deepEqual(row?.back, large);
});

test("a column is not changed by the next one", async () => {
  const first = texts(["first"], same);
  texts(["other"], same);
  const [row] = await database.read<{ back: string[] }>`select ${first}::text[] as back`;
  assert.deepEqual(row?.back, ["first"]);
});

test("a value that cannot be represented exactly is rejected before sending", () => {
  assert.throws(() => texts(["a\0b"], same).toPostgres(), RangeError);
  assert.throws(() => bigints([2 ** 53], same).toPostgres(), /not a safe integer/);
  assert.throws(() => bigints([0.5], same).toPostgres(), /not a safe integer/);
  assert.throws(() => smallints([40_000], same).toPostgres(), RangeError);
});
