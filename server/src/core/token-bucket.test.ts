import assert from "node:assert/strict";
import { test } from "node:test";
import { fullBucket, refilledTokens, takeToken } from "./token-bucket.ts";

test("a full bucket can be emptied immediately, and then gains one token per interval", () => {
  const bucket = fullBucket(10, 3, 0);
  assert.deepEqual(
    Array.from({ length: 4 }, () => takeToken(bucket, 0)),
    [0, 0, 0, 100],
  );
  assert.equal(takeToken(bucket, 40), 60, "a rejected request takes no token");
  assert.equal(takeToken(bucket, 100), 0);
});

test("a bucket never holds more than its capacity", () => {
  const bucket = fullBucket(10, 3, 0);
  takeToken(bucket, 0);
  assert.equal(refilledTokens(bucket, 60_000), 3);
});
