import assert from "node:assert/strict";
import { test } from "node:test";
import { isRemote, requireVerifiedTls } from "./connection-options.ts";
import { hostsOf } from "./database-url.ts";

test("a URL of several hosts becomes a URL for each host", () => {
  const url =
    "postgres://florin:p%40ss@db1:5432,db2:5433,[::1]:5434/florin?target_session_attrs=read-write&sslrootcert=/ca";
  assert.deepEqual(hostsOf(url), [
    "postgres://florin:p%40ss@db1:5432/florin?sslrootcert=%2Fca",
    "postgres://florin:p%40ss@db2:5433/florin?sslrootcert=%2Fca",
    "postgres://florin:p%40ss@[::1]:5434/florin?sslrootcert=%2Fca",
  ]);
});

test("a URL of one host is not changed", () => {
  for (const url of [
    "postgres://florin@db1/florin",
    "postgres://florin@/florin?host=/run/postgres",
  ])
    assert.deepEqual(hostsOf(url), [url]);
});

test("verified TLS is required of every host", () => {
  assert.equal(
    requireVerifiedTls("postgres://florin@db1,db2/florin?sslmode=require"),
    "postgres://florin@db1,db2/florin?sslmode=verify-full",
  );
  assert.equal(requireVerifiedTls("postgres://florin@db1,db2/florin?sslmode=disable"), null);
  assert.ok(isRemote("postgres://florin@127.0.0.1,db2/florin"));
  assert.ok(!isRemote("postgres://florin@127.0.0.1:5432,127.0.0.1:5433/florin"));
});
