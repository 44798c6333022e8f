import assert from "node:assert/strict";
import { test } from "node:test";
import { findWrong } from "./row-counts.ts";

const counts = {
  charges: 10,
  approvals: 10,
  transfers: 20,
  events: 10,
  deliveries: 10,
  responses: 10,
};
const expected = { answered: 10, connections: 4, endpoints: 1 };

test("accepts counts in which every acknowledged charge has all its rows", () => {
  assert.deepEqual(findWrong(counts, expected), []);
});

test("accepts one unacknowledged charge per connection, in flight when the load ended", () => {
  assert.deepEqual(findWrong(counts, { ...expected, answered: 6 }), []);
  assert.deepEqual(findWrong(counts, { ...expected, answered: 5 }), [
    "5 charges were acknowledged, but 10 exist",
  ]);
});

test("reports an acknowledged charge that does not exist", () => {
  assert.deepEqual(findWrong(counts, { ...expected, answered: 11 }), [
    "11 charges were acknowledged, but 10 exist",
  ]);
});

test("reports a charge with a missing or extra row", () => {
  assert.deepEqual(findWrong({ ...counts, transfers: 19, events: 11 }, expected), [
    "10 charges have 19 transfers, expected 20",
    "10 charges have 11 events, expected 10",
  ]);
});

test("reports deliveries when there is no endpoint", () => {
  assert.deepEqual(findWrong(counts, { ...expected, endpoints: 0 }), [
    "10 charges have 10 deliveries, expected 0",
  ]);
});
