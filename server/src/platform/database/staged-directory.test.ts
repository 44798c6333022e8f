import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { makeStaged } from "./staged-directory.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "florin-staged-"));
});
afterEach(() => rm(home, { recursive: true }));

const fill = (staging: string) => writeFile(join(staging, "part"), "");

test("the directory is renamed once it is complete, and its parents are created", async () => {
  const target = join(home, "2026/01/31");
  await makeStaged(target, async (staging) => {
    await fill(staging);
    assert.deepEqual(await readdir(join(home, "2026/01")), [`31.partial-${process.pid}`]);
  });
  assert.deepEqual(await readdir(join(home, "2026/01")), ["31"]);
  assert.deepEqual(await readdir(target), ["part"]);
});

test("an empty directory is used, and a non-empty one or a file is rejected unchanged", async () => {
  await mkdir(join(home, "empty"));
  await makeStaged(join(home, "empty"), fill);
  const again = makeStaged(join(home, "empty"), assert.fail);
  await assert.rejects(again, /empty exists and is not empty\. Choose another name\.$/);
  const onto = makeStaged(join(home, "empty/part"), assert.fail);
  await assert.rejects(onto, /part is a file\. Choose another name\.$/);
  const under = makeStaged(join(home, "empty/part/2026/01"), assert.fail);
  await assert.rejects(
    under,
    /01, because a file has the name of this or of a parent directory\. Choose another name\.$/,
  );
  assert.deepEqual(await readdir(home), ["empty"]);
  assert.deepEqual(await readdir(join(home, "empty")), ["part"]);
});

test("a full disk is reported in the error message, and partial files are removed", async () => {
  const full = makeStaged(join(home, "one"), async (staging) => {
    await fill(staging);
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
  await assert.rejects(
    full,
    /The disk of .*one is full\. Free some space, or choose a directory on another disk\.$/,
  );
  assert.deepEqual(await readdir(home), []);
});

test("a directory that another process created first is kept", async () => {
  const slower = makeStaged(join(home, "one"), async (staging) => {
    await fill(staging);
    await makeOther(join(home, "one"));
  });
  await assert.rejects(slower, /Another process created .*one first/);
  assert.deepEqual(await readdir(home), ["one"]);
  assert.deepEqual(await readdir(join(home, "one")), ["theirs"]);
});

async function makeOther(directory: string): Promise<void> {
  await mkdir(directory);
  await writeFile(join(directory, "theirs"), "");
}

test("staging directories of killed processes are removed, and those of running processes are kept", async () => {
  const { pid: dead } = spawnSync("true");
  for (const pid of [dead, process.pid, process.ppid]) {
    await makeOther(join(home, `one.partial-${pid}`));
  }
  await makeOther(join(home, `another.partial-${dead}`));
  await makeStaged(join(home, "one"), fill);
  assert.deepEqual(await readdir(home), [
    `another.partial-${dead}`,
    "one",
    `one.partial-${process.ppid}`,
  ]);
});

test("a file system that rejects new directories, and an error of another file, are not mistaken for each other", async (t) => {
  const denied = makeStaged(join(home, "one"), async () => {
    throw Object.assign(new Error("EACCES"), { code: "EACCES", path: "/elsewhere/file" });
  });
  await assert.rejects(denied, { code: "EACCES", path: "/elsewhere/file" });
  if (process.platform !== "linux") return t.skip("only Linux has /proc");
  for (const target of ["/proc/florin", "/proc/florin/one"]) {
    await assert.rejects(makeStaged(target, assert.fail), {
      name: "StartupError",
      message: `Florin cannot create ${target} (ENOENT). Choose another directory.`,
    });
  }
});
