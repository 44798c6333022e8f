import assert from "node:assert/strict";
import { test } from "node:test";
import { isTest, readSources, withoutComments } from "./source-tree.ts";

/** A statement, and the only file or folder of `server/src/` that may contain it. */
const writers: readonly (readonly [statement: RegExp, place: string])[] = [
  [/\binsert into (events|webhook_deliveries)\b/, "webhooks/events/outbox.sql.ts"],
  [/\b(update|delete from) (events|webhook_deliveries)\b/, "webhooks/"],
];

const sources = readSources()
  .filter(({ path }) => path.startsWith("server/src/") && !isTest(path))
  .map((source) => ({
    path: source.path.slice("server/src/".length),
    code: withoutComments(source),
  }));

for (const [statement, place] of writers) {
  test(`only ${place} contains ${statement.source}`, () => {
    const found = sources.filter(({ code }) => statement.test(code)).map(({ path }) => path);
    assert.deepEqual(
      found.filter((path) => !path.startsWith(place)),
      [],
      "A second writer of these rows can forget what the first writes with them. Use the functions of the first.",
    );
    assert.notEqual(found.length, 0, "Nothing matches, so this rule protects nothing.");
  });
}
