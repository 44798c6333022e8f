import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../core/api-error.ts";
import { createRateLimit } from "./rate-limit.ts";

/**
 * Stops the clock that refills the buckets. `pass` advances it. Does not use a mock, because a mock records a stack
 * trace for each of 150,000 calls, which takes 15 s.
 */
function stopTime(t: { after: (restore: () => void) => void }) {
  let now = 1_000;
  const original = performance.now;
  performance.now = () => now;
  t.after(() => {
    performance.now = original;
  });
  return { pass: (milliseconds: number) => (now += milliseconds) };
}

const rejected = (limit: () => unknown): ApiError => {
  try {
    limit();
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  assert.fail("The request was not rejected");
};

test("the burst is one second's worth of requests", (t) => {
  stopTime(t);
  const limit = createRateLimit(5);
  const remaining = Array.from({ length: 5 }, () => limit("a")?.remaining);
  assert.deepEqual(remaining, [4, 3, 2, 1, 0]);
  const { code, status, details } = rejected(() => limit("a"));
  assert.deepEqual([code, status, details.retryAfterSeconds], ["rate_limit_exceeded", 429, 1]);
  assert.deepEqual(details.headers, {
    "ratelimit-limit": "5",
    "ratelimit-remaining": "0",
    "ratelimit-reset": "1",
  });
});

test("the bucket refills evenly, up to its capacity", (t) => {
  const time = stopTime(t);
  const limit = createRateLimit(5);
  for (let count = 0; count < 5; count++) limit("a");
  time.pass(200);
  assert.equal(limit("a")?.remaining, 0);
  rejected(() => limit("a"));
  time.pass(3_600_000);
  assert.equal(limit("a")?.remaining, 4);
});

test("rejected requests do not extend the wait", (t) => {
  const time = stopTime(t);
  const limit = createRateLimit(1);
  limit("a");
  for (let count = 0; count < 9; count++) rejected(() => limit("a"));
  time.pass(1_000);
  assert.equal(limit("a")?.remaining, 0);
});

test("one account's requests do not count against another", (t) => {
  stopTime(t);
  const limit = createRateLimit(1);
  limit("a");
  rejected(() => limit("a"));
  assert.equal(limit("b")?.remaining, 0);
});

test("the limit of a key replaces the default, and a changed limit applies immediately", (t) => {
  stopTime(t);
  const limit = createRateLimit(5);
  assert.equal(limit("a", 2)?.remaining, 1);
  assert.equal(limit("a", 2)?.remaining, 0);
  assert.equal(rejected(() => limit("a", 2)).code, "rate_limit_exceeded");
  assert.equal(limit("a", 3)?.remaining, 2);
  assert.equal(limit("b")?.remaining, 4);
});

test("without a default limit, only keys with a limit are limited", (t) => {
  stopTime(t);
  const limit = createRateLimit(null);
  assert.equal(limit("a"), null);
  assert.equal(limit("b", 1)?.remaining, 0);
  assert.equal(rejected(() => limit("b", 1)).code, "rate_limit_exceeded");
});

test("memory is bounded by evicting the networks that were not used recently", (t) => {
  stopTime(t);
  const limit = createRateLimit(1);
  limit("quiet");
  limit("busy");
  for (let network = 0; network < 150_000; network++) {
    limit(`network ${network}`);
    // A network that continues to send requests stays limited, regardless of the number of other networks.
    if (network % 40_000 === 0) rejected(() => limit("busy"));
  }
  rejected(() => limit("busy"));
  rejected(() => limit("network 149999"));
  rejected(() => limit("network 110000"));
  assert.equal(limit("network 30000")?.remaining, 0, "the bucket is new and therefore full");
  assert.equal(limit("quiet")?.remaining, 0, "the bucket is new and therefore full");
});

test("a burst larger than one second's worth refills at the same rate", (t) => {
  const time = stopTime(t);
  const limit = createRateLimit(5, { burst: 20, code: "endpoint_rate_limit_exceeded" });
  for (let count = 0; count < 20; count++) limit("a");
  assert.equal(rejected(() => limit("a")).code, "endpoint_rate_limit_exceeded");
  time.pass(1_000);
  for (let count = 0; count < 5; count++) limit("a");
  rejected(() => limit("a"));
});
