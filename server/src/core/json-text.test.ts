import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seed } from "../../test/test-size.ts";
import { compactJson, jsonString } from "./json-text.ts";

test("any text is quoted as JSON.stringify quotes it, including control characters and lone surrogates", () => {
  const texts = fc.string({ unit: fc.oneof(fc.nat(0xffff).map(String.fromCharCode), fc.string()) });
  fc.assert(
    fc.property(texts, (text) => {
      assert.equal(jsonString(text), JSON.stringify(text));
    }),
    { seed },
  );
});

test("the text of a jsonb value is compacted to what JSON.stringify writes", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const compact = JSON.stringify(JSON.parse(JSON.stringify(value)));
      assert.equal(compactJson(spaced(value)), compact);
    }),
    { seed },
  );
});

test("keys that are integers come first, as in JavaScript, and spaces in strings stay", () => {
  assert.equal(compactJson('{"a": "x, y: z", "10": "b"}'), '{"10":"b","a":"x, y: z"}');
  assert.equal(compactJson('{"shop": "foo, ", "order": " : "}'), '{"shop":"foo, ","order":" : "}');
});

/** Returns JSON with a space after each comma and colon, as Postgres writes `jsonb`. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${spaced(one)}`,
  );
  return `{${members.join(", ")}}`;
}
