import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { adyenPage, adyenPagePath } from "./adyen-page.ts";

test("the page of the Adyen connector matches its tables", () => {
  assert.equal(
    readFileSync(adyenPagePath, "utf8"),
    adyenPage(),
    "Run: node_modules/.bin/node tools/adyen-page.ts",
  );
});
