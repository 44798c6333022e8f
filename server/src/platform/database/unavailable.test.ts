import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import pg from "pg";
import { isUnavailable } from "./unavailable.ts";

test("a Postgres that accepts a connection and never responds counts as unavailable", async () => {
  const silent = createServer((socket) => socket.on("error", () => undefined)).listen(
    0,
    "127.0.0.1",
  );
  await once(silent, "listening");
  const { port } = silent.address() as { port: number };
  const options = { host: "127.0.0.1", port, user: "florin", connectionTimeoutMillis: 50 };
  const pool = new pg.Pool(options);
  for (const connect of [() => new pg.Client(options).connect(), () => pool.connect()]) {
    await assert.rejects(connect, (error) => isUnavailable(error));
  }
  await pool.end();
  silent.close();
});

test("a Postgres out of connections or disk space counts as unavailable", () => {
  for (const code of ["53100", "53200", "53300"]) {
    assert.equal(isUnavailable(Object.assign(new Error("no room"), { code })), true);
  }
});

test("a rejected statement does not count as unavailability", () => {
  assert.equal(isUnavailable(Object.assign(new Error("duplicate key"), { code: "23505" })), false);
  assert.equal(isUnavailable("a text"), false);
});
