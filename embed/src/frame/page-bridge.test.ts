import assert from "node:assert/strict";
import { test } from "node:test";
import { targetOrigins } from "./page-bridge.ts";

test("`hello` is sent once to each allowed origin", () => {
  const allowed = ["https://shop.example", "https://www.shop.example", "https://shop.example"];
  assert.deepEqual(targetOrigins(allowed, null), [
    "https://shop.example",
    "https://www.shop.example",
  ]);
});

test("a pattern for any port matches the parent's origin only if scheme and host are equal", () => {
  const allowed = ["http://localhost:*", "http://127.0.0.1:*"];
  assert.deepEqual(targetOrigins(allowed, "http://localhost:5173"), ["http://localhost:5173"]);
  assert.deepEqual(targetOrigins(allowed, "http://localhost.evil.example:5173"), []);
  assert.deepEqual(targetOrigins(allowed, "https://localhost:5173"), []);
  assert.deepEqual(targetOrigins(allowed, null), []);
});
