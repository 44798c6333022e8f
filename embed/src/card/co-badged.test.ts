import assert from "node:assert/strict";
import { test } from "node:test";
import { testCards } from "@florin/contract/test-cards.ts";
import { coBadgedRanges } from "@florin/server/acquiring/networks.ts";
import { networksToChoose } from "./co-badged.ts";

const ranges = coBadgedRanges(false);

test("only the co-badged test cards offer a choice of network", () => {
  const offering = testCards.filter(({ number }) => networksToChoose(number, ranges).length > 0);
  assert.deepEqual(
    offering.map(({ number }) => number),
    ["4000002500001001", "5555552500001001"],
  );
});

test("the choice of network appears once the typed digits identify the range, with or without spaces", () => {
  assert.deepEqual(networksToChoose("4000 0025 0000", ranges), []);
  assert.deepEqual(networksToChoose("4000 0025 0000 1", ranges), ["visa", "cartes_bancaires"]);
});

test("live mode has no built-in co-badged ranges", () => {
  assert.deepEqual(coBadgedRanges(true), []);
});
