import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { retentionFile, retentionPage } from "./retention-page.ts";

test("the retention page matches table-terms.ts", () => {
  assert.equal(
    readFileSync(retentionFile, "utf8"),
    retentionPage(),
    "Generate it again: node_modules/.bin/node tools/retention-page.ts",
  );
});
