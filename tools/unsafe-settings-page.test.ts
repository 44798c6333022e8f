import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { allChecks } from "../cli/checks/checks.ts";
import { unsafeSettingsFile, unsafeSettingsPage } from "./unsafe-settings-page.ts";

test("the page of unsafe settings lists every check with its outcomes", () => {
  assert.equal(
    readFileSync(unsafeSettingsFile, "utf8"),
    unsafeSettingsPage(),
    "Run: node_modules/.bin/node tools/unsafe-settings-page.ts",
  );
});

test("each check has a unique name, and states its meaning and its fix", () => {
  const names = allChecks.map(({ name }) => name);
  assert.deepEqual([...new Set(names)], names);
  for (const { name, about, outcomes } of allChecks) {
    assert.match(about, /\.$/, name);
    for (const { means, fix } of Object.values(outcomes)) {
      assert.match(means, /\.$/, name);
      assert.match(fix, /[.)]$/, name);
    }
  }
});
