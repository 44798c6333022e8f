import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { settingsFile, settingsPage } from "./settings-page.ts";

test("the settings page matches config.ts", () => {
  assert.equal(
    readFileSync(settingsFile, "utf8"),
    settingsPage(),
    "Generate it again: node_modules/.bin/node tools/settings-page.ts",
  );
});

test("the page lists every setting that config.ts reads", () => {
  const source = readFileSync(new URL("../server/src/config.ts", import.meta.url), "utf8");
  const read = [...source.matchAll(/\btext\("([A-Z_]+)"\)/g)].map(([, name]) => name as string);
  assert.ok(read.length > 10);
  const page = settingsPage();
  assert.deepEqual(
    read.filter((name) => !page.includes(`| \`${name}\` |`)),
    [],
  );
});
