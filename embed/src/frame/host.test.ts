import assert from "node:assert/strict";
import { test } from "node:test";
import { targetOrigins } from "./host.ts";

test("each allowed origin is greeted once, by its own name", () => {
  const allowed = ["https://shop.example", "https://www.shop.example", "https://shop.example"];
  assert.deepEqual(targetOrigins(allowed, null), [
    "https://shop.example",
    "https://www.shop.example",
  ]);
});

test("a pattern for any port stands for the origin we are in, and only if that fits", () => {
  const allowed = ["http://localhost:*", "http://127.0.0.1:*"];
  assert.deepEqual(targetOrigins(allowed, "http://localhost:5173"), ["http://localhost:5173"]);
  assert.deepEqual(targetOrigins(allowed, "http://localhost.evil.example:5173"), []);
  assert.deepEqual(targetOrigins(allowed, "https://localhost:5173"), []);
  assert.deepEqual(targetOrigins(allowed, null), []);
});
