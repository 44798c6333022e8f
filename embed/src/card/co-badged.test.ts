import assert from "node:assert/strict";
import { test } from "node:test";
import { testCards } from "@florin/contract/test-cards.ts";
import { coBadgedRanges } from "@florin/server/acquiring/networks.ts";
import { networksToChoose } from "./co-badged.ts";

const ranges = coBadgedRanges(false);

test("of all test cards the co-badged ones offer a choice, and no other does", () => {
  const offering = testCards.filter(({ number }) => networksToChoose(number, ranges).length > 0);
  assert.deepEqual(
    offering.map(({ number }) => number),
    ["4000002500001001", "5555552500001001"],
  );
});

test("a choice is offered from where the number tells, with gaps, and not before", () => {
  assert.deepEqual(networksToChoose("4000 0025 0000", ranges), []);
  assert.deepEqual(networksToChoose("4000 0025 0000 1", ranges), ["visa", "cartes_bancaires"]);
});

test("live mode claims no ranges of its own", () => {
  assert.deepEqual(coBadgedRanges(true), []);
});
