import assert from "node:assert/strict";
import { test } from "node:test";
import { bindTag, fragment, violates } from "./sql.ts";

type Sent = { name: string; text: string; values: unknown[] };

/** Records statements instead of sending them. */
function createRecordingSql() {
  const sent: Sent[] = [];
  const query = (statement: Sent) => {
    sent.push(statement);
    return Promise.resolve({ rows: [{ ok: true }] });
  };
  return { sent, sql: bindTag({ query } as never) };
}

test("interpolated values are sent as parameters and never as statement text", async () => {
  const { sent, sql } = createRecordingSql();
  const injection = "'; drop table charges; --";
  const rows = await sql`select ${1} where name = ${injection}`;
  assert.deepEqual(rows, [{ ok: true }]);
  assert.equal(sent[0]?.text, "select $1 where name = $2");
  assert.deepEqual(sent[0]?.values, [1, injection]);
});

test("nested fragments keep their parameters in order", async () => {
  const { sent, sql } = createRecordingSql();
  const inner = fragment`c = ${3}`;
  const outer = fragment`and b = ${2} and (${inner}) ${fragment``}`;
  await sql`select where a = ${1} ${outer} and d = ${4}`;
  assert.equal(sent[0]?.text, "select where a = $1 and b = $2 and (c = $3)  and d = $4");
  assert.deepEqual(sent[0]?.values, [1, 2, 3, 4]);
});

test("equal statements share a plan, and different statements do not", async () => {
  const { sent, sql } = createRecordingSql();
  const request = (value: unknown, more = fragment``) => sql`select ${value} ${more}`;
  await request(1);
  await request(2);
  await request(1, fragment`limit 1`);
  const [first, second, third] = sent.map(({ name }) => name);
  assert.equal(first, second);
  assert.notEqual(first, third);
  // Postgres truncates names at 63 bytes.
  assert.ok((first?.length ?? 0) > 20 && (first?.length ?? 64) < 64);
});

test("a violation is reported only for the named constraint, and not for other errors", () => {
  const error = Object.assign(new Error("duplicate key"), { constraint: "charges_pkey" });
  assert.equal(violates(error, "charges_pkey"), true);
  assert.equal(violates(error, "events_pkey"), false);
  for (const other of [new Error("away"), null, undefined, "charges_pkey"]) {
    assert.equal(violates(other, "charges_pkey"), false);
  }
});
