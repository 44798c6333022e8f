import assert from "node:assert/strict";
import { test } from "node:test";
import { findWrong } from "./row-counts.ts";

const counts = {
  charges: 10,
  approvals: 10,
  transfers: 20,
  events: 10,
  deliveries: 10,
  answers: 10,
};
const expected = { answered: 10, connections: 4, endpoints: 1 };

test("every answered charge with all of its rows is right", () => {
  assert.deepEqual(findWrong(counts, expected), []);
});

test("a charge on its way when the load ended may be there without an answer, one for each connection", () => {
  assert.deepEqual(findWrong(counts, { ...expected, answered: 6 }), []);
  assert.deepEqual(findWrong(counts, { ...expected, answered: 5 }), [
    "5 charges were answered and 10 are there",
  ]);
});

test("an answer without a charge is wrong", () => {
  assert.deepEqual(findWrong(counts, { ...expected, answered: 11 }), [
    "11 charges were answered and 10 are there",
  ]);
});

test("a charge that lacks a row, or has one too many, is wrong", () => {
  assert.deepEqual(findWrong({ ...counts, transfers: 19, events: 11 }, expected), [
    "10 charges left 19 transfers, not 20",
    "10 charges left 11 events, not 10",
  ]);
});

test("without an endpoint there must be no delivery", () => {
  assert.deepEqual(findWrong(counts, { ...expected, endpoints: 0 }), [
    "10 charges left 10 deliveries, not 0",
  ]);
});
