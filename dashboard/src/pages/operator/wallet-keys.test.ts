import assert from "node:assert/strict";
import { test } from "node:test";
import { certificateState } from "./wallet-keys.ts";

const now = 1_790_000_000;
const day = 24 * 60 * 60;

test("a certificate is reported as expiring soon in its last 30 days", () => {
  const states = [null, 31, 29, 0].map((days) => {
    const certificate = days === null ? null : { fingerprint: "cd", expires_at: now + days * day };
    return certificateState({ certificate }, now);
  });
  assert.deepEqual(states, ["none", "valid", "expires_soon", "expired"]);
});
