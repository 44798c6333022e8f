import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { testCards } from "@florin/contract/test-cards.ts";
import { testCardsPage, testCardsPagePath } from "./test-cards-page.ts";

test("the documentation page of test cards matches the tables", () => {
  assert.equal(
    readFileSync(testCardsPagePath, "utf8"),
    testCardsPage(),
    "Run: node_modules/.bin/node tools/test-cards-page.ts",
  );
});

test("the page names every card", () => {
  const page = testCardsPage();
  for (const { number } of testCards) assert.ok(page.includes(`\`${number}\``), number);
});
