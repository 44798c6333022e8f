import assert from "node:assert/strict";
import { test } from "node:test";
import { keptPerSecond } from "@florin/contract/request-log.ts";
import { createSampler } from "./sampling.ts";

test("up to a hundred requests per second of each account and mode are logged", () => {
  const sample = createSampler();
  for (const key of ["a", "b"]) {
    for (let count = 0; count < keptPerSecond; count++) assert.equal(sample.take(key, false, 0), 0);
  }
});

test("above the limit every hundredth request is logged, with the number of dropped ones", () => {
  const sample = createSampler();
  let stored = 0;
  let leftOut = 0;
  const sent = 10_000;
  for (let count = 0; count < sent; count++) {
    const before = sample.take("a", false, 0);
    if (before === null) continue;
    stored += 1;
    leftOut += before;
  }
  assert.equal(stored, keptPerSecond + (sent - keptPerSecond) / 100);
  assert.equal(leftOut + stored, sent);
  assert.equal(sample.take("a", false, 1_000), 0);
});

test("errors have a separate limit, which applies after the limit of all requests", () => {
  const sample = createSampler();
  for (let count = 0; count < keptPerSecond; count++) sample.take("a", false, 0);
  const stored = Array.from({ length: 150 }, () => sample.take("a", true, 0));
  assert.ok(stored.slice(0, keptPerSecond).every((left) => left !== null));
  assert.ok(stored.slice(keptPerSecond).some((left) => left === null));
});

test("requests that are dropped because the queue is full are counted", () => {
  const sample = createSampler();
  for (let count = 0; count < 3; count++) sample.drop("a");
  assert.equal(sample.take("a", false, 0), 3);
  assert.equal(sample.take("a", false, 0), 0);
});
