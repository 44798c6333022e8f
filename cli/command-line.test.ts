import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { commandLine } from "./command-line.ts";

test("advice names the installed command by its path, because npx downloads a package in other folders", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "florin-installed-"));
  t.after(() => rm(folder, { recursive: true }));
  const modules = join(folder, "node_modules");
  const at = { installation: join(modules, "florin"), isPackage: true };
  // After `npm install --global`, the command is in the PATH.
  assert.equal(commandLine("verify", "", at), "florin verify");

  await mkdir(join(modules, ".bin"), { recursive: true });
  await writeFile(join(modules, ".bin/florin"), "");
  const florin = join(modules, ".bin/florin");
  assert.equal(commandLine("verify", "", at), `${florin} verify`);
  assert.equal(
    commandLine("reconcile", "--since-restore", at),
    `${florin} reconcile --since-restore`,
  );
});

test("advice in a clone of the repository uses npm, with two dashes before the options", () => {
  assert.equal(commandLine("verify"), "npm run florin verify");
  assert.equal(
    commandLine("reconcile", "--since-restore"),
    "npm run florin reconcile -- --since-restore",
  );
});
