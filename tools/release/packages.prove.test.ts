import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { publint } from "publint";
import { buildReactPackage } from "../../embed/build-react.ts";
import { buildSdk } from "../../sdk/build.ts";
import { root } from "../source-tree.ts";

const attw = join(root, "node_modules/.bin/attw");

test("the SDK and the React component pass publint and attw as ES modules", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "florin-packages-"));
  t.after(() => rmSync(directory, { recursive: true }));
  await buildSdk(join(directory, "sdk"));
  buildReactPackage(join(directory, "react"));
  // Next.js renders a component with hooks only from a module with this directive.
  const component = readFileSync(join(directory, "react/react/florin-checkout.js"), "utf8");
  assert.match(component, /^"use client";$/m);
  for (const name of ["sdk", "react"]) {
    const pkgDir = join(directory, name);
    const { messages } = await publint({ pkgDir, pack: false });
    assert.deepEqual(messages, [], name);
    const options = ["--pack", pkgDir, "--profile", "esm-only", "--quiet"];
    execFileSync(process.execPath, [attw, ...options], { cwd: pkgDir });
  }
});
