import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CsvMalformed, readCsv } from "./csv.ts";

async function recordsOf(...pieces: string[]): Promise<string[][]> {
  return Array.fromAsync(readCsv(pieces));
}

test("fields are separated by commas and records by line breaks", async () => {
  assert.deepEqual(await recordsOf("a,b,c\r\n1,,3\r\n"), [
    ["a", "b", "c"],
    ["1", "", "3"],
  ]);
  assert.deepEqual(await recordsOf("a,b\n1,2"), [
    ["a", "b"],
    ["1", "2"],
  ]);
});

test("a quoted field can contain commas, line breaks and quotes", async () => {
  assert.deepEqual(await recordsOf('"a,b","c\r\nd","e""f",""\r\n'), [["a,b", "c\r\nd", 'e"f', ""]]);
});

test("a byte order mark and empty lines are skipped", async () => {
  assert.deepEqual(await recordsOf("\ufeffa,b\n\n1,2\n\r\n"), [
    ["a", "b"],
    ["1", "2"],
  ]);
  assert.deepEqual(await recordsOf(""), []);
  assert.deepEqual(await recordsOf('""\n'), [[""]]);
  assert.deepEqual(await recordsOf("a,"), [["a", ""]]);
});

test("malformed text is rejected with its line", async () => {
  const cases = {
    'a\nb"c\n': /Line 2 .* inside an unquoted field/,
    '"a"b\n': /Line 1 .* follows a quoted field/,
    'a\n"b': /Line 2 .* does not end/,
    "a\rb\n": /Line 1 .* not followed by LF/,
  };
  for (const [text, message] of Object.entries(cases)) {
    await assert.rejects(recordsOf(text), (error) => {
      assert.ok(error instanceof CsvMalformed);
      assert.match(error.message, message);
      return true;
    });
  }
});

test("a missing quote does not read the whole file into memory", async () => {
  const endless = (function* () {
    yield '"';
    for (;;) yield "a".repeat(65_536);
  })();
  await assert.rejects(Array.fromAsync(readCsv(endless)), /too long/);
});

test("any records survive writing and reading, however the text is cut", async () => {
  const field = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", "é", "😀", " ") });
  const records = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(records, fc.integer({ min: 1, max: 7 }), async (written, size) => {
      const text = written
        .map((fields) => fields.map((one) => `"${one.replaceAll('"', '""')}"`).join(","))
        .join("\r\n");
      const pieces = text.match(new RegExp(`.{1,${size}}`, "gsu")) ?? [];
      assert.deepEqual(await recordsOf(...pieces), written);
    }),
  );
});
