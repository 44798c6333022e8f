import assert from "node:assert/strict";
import { test } from "node:test";
import { createSampler } from "./sampling.ts";

/** Sends requests. Returns the number of logged requests, and the sum of the dropped requests that they report. */
function send(
  sample: ReturnType<typeof createSampler>,
  key: string,
  count: number,
  { failed = false, nowMs = 0 } = {},
) {
  let logged = 0;
  let leftOut = 0;
  for (let sent = 0; sent < count; sent++) {
    const before = sample.take(key, failed, nowMs);
    if (before === null) continue;
    logged += 1;
    leftOut += before;
  }
  return { logged, leftOut };
}

test("an account with one request every five seconds has all of them logged on a busy server", () => {
  const sample = createSampler();
  for (let second = 0; second < 120; second += 5) {
    const nowMs = second * 1_000;
    for (let busy = 0; busy < 10; busy++) send(sample, `busy ${busy}`, 500, { nowMs });
    assert.equal(send(sample, "quiet", 1, { nowMs }).logged, 1);
  }
});

test("a hundred requests per second of one account and mode are logged", () => {
  const sample = createSampler();
  send(sample, "a", 10);
  assert.equal(send(sample, "a", 100, { nowMs: 1_000 }).logged, 100);
  assert.equal(send(sample, "b", 110, { nowMs: 1_000 }).logged, 110);
});

test("above its limit, every hundredth request of an account is logged, with the number of dropped ones", () => {
  const sample = createSampler();
  const { logged, leftOut } = send(sample, "a", 10_110);
  assert.equal(logged, 110 + 100);
  assert.equal(leftOut + logged, 10_110);
  assert.equal(sample.take("a", false, 2_000), 0);
});

test("a process logs three hundred requests per second in addition to the reserved and the sampled ones", () => {
  const sample = createSampler();
  let logged = 0;
  for (let account = 0; account < 1_000; account++) {
    send(sample, `account ${account}`, 10);
    logged += send(sample, `account ${account}`, 6, { nowMs: 1 }).logged;
  }
  assert.equal(logged, 300);
});

test("errors have a separate limit, which applies after the limit of all requests", () => {
  const sample = createSampler();
  send(sample, "a", 110);
  const { logged } = send(sample, "a", 150, { failed: true });
  // At most one of the fifty requests above both limits is sampled.
  assert.ok(logged === 100 || logged === 101, String(logged));
});

test("requests that are dropped because the queue is full are counted", () => {
  const sample = createSampler();
  for (let count = 0; count < 3; count++) sample.drop("a");
  assert.equal(sample.take("a", false, 0), 3);
  assert.equal(sample.take("a", false, 0), 0);
});
