import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { createTestDatabase } from "../../../test/database.ts";
import { type Cell, column } from "./array-literal.ts";
import { connectDatabase } from "./database.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 2, onIdleError: () => {} });
after(async () => {
  await database.close();
  await testDatabase.drop();
});

const identity = (cell: Cell) => cell;

async function throughPostgres(texts: (string | null)[]): Promise<(string | null)[]> {
  const [row] = await database.read<{ back: (string | null)[] }>`
    select ${column(texts, identity)}::text::text[] as back`;
  return row?.back ?? [];
}

/** Texts that consist of arbitrary characters and of characters with a meaning in an array literal. */
const difficult = fc
  .array(
    fc.constantFrom(
      '"',
      "\\",
      "{",
      "}",
      ",",
      " ",
      "NULL",
      "null",
      "\n",
      "\t",
      "'",
      "$1",
      "\\x",
      "😀",
      "é",
    ),
  )
  .map((pieces) => pieces.join(""));
const anything = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));

test("any list of strings reaches Postgres unchanged", async () => {
  const text = fc.option(fc.oneof(difficult, anything));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 20 }), async (texts) => {
      assert.deepEqual(await throughPostgres(texts), texts);
    }),
    { numRuns: 300 },
  );
});

test("an empty string, the string NULL and null remain distinct", async () => {
  const texts = ["", "NULL", null, "null", " "];
  assert.deepEqual(await throughPostgres(texts), texts);
  assert.deepEqual(await throughPostgres([]), []);
});

test("numbers, booleans and bytes reach Postgres unchanged", async () => {
  const bytes = [Buffer.from([0, 1, 0x5c, 0x22, 0xff]), Buffer.alloc(0), null];
  const numbers = [0, -1, Number.MAX_SAFE_INTEGER, null];
  const truths = [true, false, null];
  const [row] = await database.read<Record<string, unknown>>`
    select ${column(bytes, identity)}::text::bytea[] as bytes,
           ${column(numbers, identity)}::text::text[]::bigint[]::text[] as numbers,
           ${column(truths, identity)}::text::boolean[] as truths`;
  assert.deepEqual(row, { bytes, numbers: numbers.map((one) => one?.toString() ?? null), truths });
});

test("an array inside an array keeps its quotes", async () => {
  const inner = [['a"b', "{c}"], [], ["\\"]];
  const back = await throughPostgres(inner.map((texts) => column(texts, identity)));
  for (const [index, literal] of back.entries()) {
    const [row] = await database.read<{
      texts: string[];
    }>`select ${literal}::text::text[] as texts`;
    assert.deepEqual(row?.texts, inner[index]);
  }
});

test("a NUL, which Postgres cannot store, is rejected before sending", () => {
  assert.throws(() => column(["a\0b"], identity), RangeError);
});
