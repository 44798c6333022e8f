import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ApiError } from "../../core/api-error.ts";
import { parseStrictJson } from "./strict-json.ts";

function rejects(text: string | Buffer, code = "body_invalid_json"): void {
  assert.throws(
    () => parseStrictJson(Buffer.from(text)),
    (error) => error instanceof ApiError && error.code === code,
    `${text}`,
  );
}

const reads = (text: string) => parseStrictJson(Buffer.from(text));

test("strict parsing returns the value that JSON.stringify has serialized", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      // Excludes values whose JSON the parser rejects. Other tests cover the rejection.
      fc.pre(
        !text.includes('"__proto__"') && !text.includes("\\u0000") && !/\\ud[89a-f]/.test(text),
      );
      fc.pre(onlyExactNumbers(value));
      assert.deepEqual(reads(text), JSON.parse(text));
      assert.deepEqual(reads(JSON.stringify(value, null, "\t\r\n ")), JSON.parse(text));
    }),
  );
});

function onlyExactNumbers(value: unknown): boolean {
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(onlyExactNumbers);
}

test("any text either parses or fails with a parse error", () => {
  const pieces = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    '"a"',
    "1",
    "-",
    "e9",
    "null",
    "\\u0000",
    " ",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (some) => {
      try {
        const text = some.join("");
        assert.deepEqual(reads(text), JSON.parse(text));
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error));
      }
    }),
    { numRuns: 2_000 },
  );
});

test("a duplicate name in one object is rejected in every spelling", () => {
  rejects('{"amount":1,"amount":2}');
  rejects('{"amount":1,"\\u0061mount":2}');
  rejects('{"a":[{"b":1,"c":{},"b":2}]}');
  rejects('{"a":{"b":1},"c":[],"a":1}');
  rejects('{"":1,"":2}');
});

test("the same name in two objects, or as a value, is accepted", () => {
  assert.deepEqual(reads('{"a":{"a":["a","a",{"a":"a"}]},"b":"a"}'), {
    a: { a: ["a", "a", { a: "a" }] },
    b: "a",
  });
  assert.deepEqual(reads('[{"a":1},{"a":2}]'), [{ a: 1 }, { a: 2 }]);
  assert.deepEqual(reads('{"a":"b","c":"a,\\"a\\":{"}'), { a: "b", c: 'a,"a":{' });
});

test("__proto__ is rejected as a name, even if it is escaped, and accepted as text", () => {
  rejects('{"__proto__":{}}');
  rejects('{"a":{"\\u005f_proto__":1}}');
  assert.deepEqual(reads('{"a":"__proto__"}'), { a: "__proto__" });
});

test("an integer is exact or rejected", () => {
  assert.deepEqual(
    reads("[9007199254740991,-9007199254740991,0,-0]"),
    [9007199254740991, -9007199254740991, 0, -0],
  );
  for (const number of ["9007199254740992", "-9007199254740992", "1e16", "123456789012345678901"]) {
    rejects(`{"amount":${number}}`);
  }
});

test("a number that overflows is rejected, and a fraction is accepted", () => {
  rejects("[1e309]");
  rejects("[-1e309]");
  assert.deepEqual(reads("[0.1,1.5e-3,1E-2]"), [0.1, 0.0015, 0.01]);
});

test("text that Postgres cannot store is rejected, as a name and as a value", () => {
  rejects('{"a":"\\u0000"}', "invalid_characters");
  rejects('{"\\u0000":1}', "invalid_characters");
  rejects('["\\ud800"]', "invalid_characters");
  rejects('["\\udc00\\ud800"]', "invalid_characters");
  assert.deepEqual(reads('["\\ud83d\\ude00 \\\\u0000"]'), ["😀 \\u0000"]);
});

test("invalid UTF-8 is rejected", () => {
  for (const bytes of [
    [0xff],
    [0xc0, 0x80], // an overlong NUL
    [0xed, 0xa0, 0x80], // half a surrogate pair
    [0xf5, 0x80, 0x80, 0x80], // beyond U+10FFFF
    [0xe2, 0x82], // cut off
  ]) {
    rejects(Buffer.concat([Buffer.from('["'), Buffer.from(bytes), Buffer.from('"]')]));
  }
  rejects(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from("{}")]));
});

test("an integer with a decimal point or an exponent is rejected, because a client may mean $56.00", () => {
  for (const number of ["56.00", "-56.0", "1e3", "1E3", "56.00e0", "0.0"]) {
    rejects(`{"line_items":[{"amount":${number}}]}`, "parameter_invalid_integer");
  }
  assert.throws(
    () => reads('{"amount":56.00}'),
    /^\w*Error: `amount` must .* 5600 for \$56\.00\.$/,
  );
  assert.deepEqual(reads("[56,-56,0,0.5,5e-1]"), [56, -56, 0, 0.5, 0.5]);
});

test("syntax outside JSON is rejected", () => {
  for (const text of [
    "",
    " ",
    "{",
    "{'a':1}",
    "{a:1}",
    "[1,]",
    "NaN",
    "01",
    "// a\n{}",
    "{} {}",
    "undefined",
  ]) {
    rejects(text);
  }
});

test("no error repeats content of the body, which may be a card number", () => {
  const bodies = [
    "x4242424242424242",
    "{\"number\":'4242424242424242'}",
    '{"number":4242424242424242x}',
    '{"number":42424242424242424242}',
    '{"number":4242424242424242e999}',
    '{"4242424242424242":1,"4242424242424242":2}',
  ];
  for (const body of bodies) {
    assert.throws(
      () => parseStrictJson(Buffer.from(body)),
      (error: Error) => !/4242/.test(error.message),
      body,
    );
  }
});

test("a byte order mark is rejected by its name, because editors do not show it", () => {
  assert.throws(() => reads(`\ufeff{"amount": 1}`), {
    code: "body_invalid_json",
    message: /must not begin with a byte order mark \(BOM\)/,
  });
});
