import assert from "node:assert/strict";
import { test } from "node:test";
import { circuitBreakerBackoffMs, maxBackoffMs } from "./circuit-breaker.ts";

test("the circuit breaker opens at the fifth consecutive failure, for one second, which doubles with each failure up to a minute", () => {
  const backoffs = Array.from({ length: 14 }, (_, index) =>
    circuitBreakerBackoffMs(index + 1, 0.5),
  );
  assert.deepEqual(backoffs.slice(0, 4), [null, null, null, null]);
  assert.deepEqual(
    backoffs.slice(4),
    [1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map((seconds) => seconds * 1000),
  );
});

test("the backoff varies by 20 percent and does not grow beyond its maximum", () => {
  assert.equal(circuitBreakerBackoffMs(5, 0), 800);
  assert.equal(circuitBreakerBackoffMs(5, 1), 1_200);
  assert.equal(circuitBreakerBackoffMs(2 ** 31, 1), maxBackoffMs);
});
