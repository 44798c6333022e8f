import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { settingsFile, settingsPage } from "./settings-page.ts";

test("the settings page is what config.ts says", () => {
  assert.equal(
    readFileSync(settingsFile, "utf8"),
    settingsPage(),
    "Print it anew: node_modules/.bin/node tools/settings-page.ts",
  );
});

test("no setting that config.ts reads is missing on the page", () => {
  const source = readFileSync(new URL("../server/src/config.ts", import.meta.url), "utf8");
  const read = [...source.matchAll(/\btext\("([A-Z_]+)"\)/g)].map(([, name]) => name as string);
  assert.ok(read.length > 10);
  const page = settingsPage();
  assert.deepEqual(
    read.filter((name) => !page.includes(`| \`${name}\` |`)),
    [],
  );
});
