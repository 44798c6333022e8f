import assert from "node:assert/strict";
import { test } from "node:test";
import { findViolations } from "./row-counts.ts";

const counts = {
  charges: 10,
  approvals: 10,
  transfers: 20,
  events: 10,
  deliveries: 10,
  responses: 10,
};
const expected = { succeeded: 10, connections: 4, endpoints: 1 };

test("accepts counts in which every acknowledged charge has all its rows", () => {
  assert.deepEqual(findViolations(counts, expected), []);
});

test("accepts one unacknowledged charge per connection, in flight when the load ended", () => {
  assert.deepEqual(findViolations(counts, { ...expected, succeeded: 6 }), []);
  assert.deepEqual(findViolations(counts, { ...expected, succeeded: 5 }), [
    "5 charges were acknowledged, but 10 exist",
  ]);
});

test("reports an acknowledged charge that does not exist", () => {
  assert.deepEqual(findViolations(counts, { ...expected, succeeded: 11 }), [
    "11 charges were acknowledged, but 10 exist",
  ]);
});

test("reports a charge with a missing or extra row", () => {
  assert.deepEqual(findViolations({ ...counts, transfers: 19, events: 11 }, expected), [
    "10 charges have 19 transfers, expected 20",
    "10 charges have 11 events, expected 10",
  ]);
});

test("reports deliveries when there is no endpoint", () => {
  assert.deepEqual(findViolations(counts, { ...expected, endpoints: 0 }), [
    "10 charges have 10 deliveries, expected 0",
  ]);
});
