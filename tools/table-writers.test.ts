import assert from "node:assert/strict";
import { test } from "node:test";
import { isTest, readSources, withoutComments } from "./source-tree.ts";

/** A statement, and the files or folders of `server/src/` that may contain it. No other file may. */
const writers: readonly (readonly [statement: RegExp, ...places: string[]])[] = [
  [/\binsert into (events|webhook_deliveries)\b/, "webhooks/events/outbox.sql.ts"],
  [/\b(update|delete from) (events|webhook_deliveries)\b/, "webhooks/"],
  [
    /\b(insert into|update|delete from|merge into) (charges|operations|disputes|payouts|settlements|ledger_transfers)\b/,
    "payments/commit/",
  ],
  [/\binsert into checkout_sessions\b/, "payments/commit/"],
  // The response to a request that moves no money is stored in the request's own transaction.
  [
    /\b(insert into|update) idempotency_keys\b[^`]*\bstatus_code\b/,
    "payments/commit/",
    "platform/idempotency/idempotency.sql.ts",
  ],
];

const sources = readSources()
  .filter(({ path }) => path.startsWith("server/src/") && !isTest(path))
  .map((source) => ({
    path: source.path.slice("server/src/".length),
    code: withoutComments(source),
  }));

for (const [statement, ...places] of writers) {
  test(`only ${places.join(" and ")} contains ${statement.source}`, () => {
    const found = sources.filter(({ code }) => statement.test(code)).map(({ path }) => path);
    assert.deepEqual(
      found.filter((path) => !places.some((place) => path.startsWith(place))),
      [],
      "The listed files also write the rows that belong to these rows. Call their functions instead.",
    );
    assert.notEqual(
      found.length,
      0,
      "No file contains the statement. Correct the pattern or remove the rule.",
    );
  });
}
