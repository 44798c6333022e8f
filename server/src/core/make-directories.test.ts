import assert from "node:assert/strict";
import { mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { makeDirectories } from "./make-directories.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "florin-directories-"));
});
afterEach(() => rm(home, { recursive: true }));

test("all missing parents are created for this user only, and concurrent calls do not fail", async () => {
  const path = join(home, "a/b/c");
  const [first] = await Promise.all([1, 2, 3].map(() => makeDirectories(path)));
  assert.equal(first, join(home, "a"));
  for (const created of ["a", "a/b", "a/b/c"]) {
    assert.equal((await stat(join(home, created))).mode & 0o777, 0o700);
  }
  assert.equal(await makeDirectories(path), null);
});

test("a file with the name of the directory or of a parent is reported", async () => {
  await writeFile(join(home, "file"), "");
  await symlink(join(home, "nowhere"), join(home, "link"));
  await assert.rejects(makeDirectories(join(home, "file")), { code: "EEXIST" });
  await assert.rejects(makeDirectories(join(home, "file/a")), { code: "ENOTDIR" });
  await assert.rejects(makeDirectories(join(home, "link/a")), { code: "EEXIST" });
});

test("a file system that rejects new directories with ENOENT is reported", async (t) => {
  if (process.platform !== "linux") return t.skip("only Linux has /proc");
  await assert.rejects(makeDirectories("/proc/florin/a"), { code: "ENOENT" });
});
