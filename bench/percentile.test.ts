import assert from "node:assert/strict";
import { test } from "node:test";
import { medianBy, percentile } from "./percentile.ts";

const oneToHundred = () => Float64Array.from({ length: 100 }, (_, index) => 100 - index);

test("the 99th percentile of 1 to 100 is 99 in any order", () => {
  assert.equal(percentile(oneToHundred(), 0.99), 99);
  assert.equal(percentile(oneToHundred(), 0.5), 50);
});

test("the highest percentile is the largest value and the lowest the smallest", () => {
  assert.equal(percentile(oneToHundred(), 1), 100);
  assert.equal(percentile(oneToHundred(), 0), 1);
});

test("the percentile of an empty list is NaN", () => {
  assert.ok(Number.isNaN(percentile(new Float64Array(), 0.5)));
});

test("the median of an even number of values is one of them", () => {
  const identity = (value: number) => value;
  assert.equal(medianBy([30, 10, 20], identity), 20);
  assert.equal(medianBy([40, 10, 30, 20], identity), 20);
  assert.equal(medianBy([7], identity), 7);
});
