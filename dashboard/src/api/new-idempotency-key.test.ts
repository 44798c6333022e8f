import assert from "node:assert/strict";
import { test } from "node:test";
import { newKey } from "./new-idempotency-key.ts";

test("every key is unique and 128 bits long", () => {
  const keys = new Set(Array.from({ length: 1_000 }, newKey));
  assert.equal(keys.size, 1_000);
  for (const key of keys) assert.match(key, /^[0-9a-f]{32}$/);
});
