import assert from "node:assert/strict";
import { test } from "node:test";
import { readMigrations } from "../server/src/platform/database/migrate.ts";
import { migrationsDirectory } from "../server/test/upgrade/packages.ts";
import { violationsOf } from "./migration-rules.ts";

test("every migration after the base can be applied while the previous version serves requests", async () => {
  const [base, ...later] = await readMigrations();
  assert.equal(base?.name, "0001_schema.sql");
  const validated = new Set<string>();
  // Includes the migrations that `npm run upgrade:check` applies under load.
  later.push(...(await readMigrations(migrationsDirectory)));
  assert.deepEqual(
    later.flatMap(({ name, sql }) => violationsOf(name, sql, validated)),
    [],
  );
});

test("the migration rules detect statements that lock, rewrite or break the previous version", () => {
  for (const [sql, advice] of [
    ["create index a on charges (id);", /concurrently/],
    ["create unique index a on charges (id);", /concurrently/],
    ["create index concurrently if not exists a on charges (id);", /first line/],
    ["-- florin: statements\ncreate index concurrently a on charges (id);", /if not exists/],
    ["alter table charges add constraint a check (amount > 0);", /not valid/],
    ["alter table charges add constraint a foreign key (b) references c (d);", /not valid/],
    ["alter table charges add constraint a unique (b);", /using index/],
    ["alter table charges validate constraint a;", /no lock is kept/],
    ["alter table charges add column a text references b (c);", /foreign key/],
    ["alter table charges add column a uuid default gen_random_uuid();", /constant default/],
    ["alter table charges add column a text not null;", /without the new column/],
    ["alter table charges alter column a set not null;", /charges|not null/],
    ["alter table charges alter column a type bigint;", /new column/],
    ["alter table charges drop column a;", /unused since/],
    ["drop table charges;", /unused since/],
    ["alter table charges rename column a to b;", /old name/],
    ["update charges set a = 1;", /batches/],
    ["-- florin: backfill\nupdate charges set a = 1;", /limit/],
    ["lock table charges;", /locks out/],
    ["reindex table charges;", /concurrently/],
    ["alter domain amount add constraint a check (value > 0);", /not valid/],
  ] as const) {
    const found = violationsOf("0002_step.sql", sql);
    assert.ok(found.length > 0, `not detected: ${sql}`);
    assert.match(found.join("\n"), advice, sql);
  }
});

test("the migration rules accept the steps of an online change", () => {
  const validated = new Set<string>();
  for (const sql of [
    "create table tags (id uuid primary key, note text);\ncreate index tags_by_note on tags (note);",
    "alter table charges add column tag text;",
    "alter table charges add column tries integer not null default 0;",
    "-- florin: backfill\nupdate charges set tag = '' where id in (select id from charges where tag is null limit 1000);",
    "alter table charges add constraint charges_tag_not_null check (tag is not null) not valid;",
    "-- florin: statements\nalter table charges validate constraint charges_tag_not_null;",
    "alter table charges alter column tag set not null;",
    "-- florin: statements\ncreate index concurrently if not exists charges_by_tag on charges (tag);",
    "-- unused since: 0.2.0\nalter table charges drop column tag;",
  ]) {
    assert.deepEqual(violationsOf("0002_step.sql", sql, validated), [], sql);
  }
});
