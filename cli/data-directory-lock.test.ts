import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { lockDataDirectory } from "./data-directory-lock.ts";

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "florin-lock-"));
  file = join(directory, "service.lock");
});
afterEach(() => rm(directory, { recursive: true }));

test("a second service is rejected until the first has released the lock", async () => {
  const release = await lockDataDirectory(directory);
  await assert.rejects(lockDataDirectory(directory), {
    message: `Another Florin process (PID ${process.pid}) uses the data directory ${directory}. Stop it first, or set FLORIN_DATA to another directory.`,
  });
  await release();
  assert.deepEqual(await readdir(directory), []);
  await (await lockDataDirectory(directory))();
});

test("the lock of a killed process has no effect, even if its process ID was reused or it wrote nothing", async () => {
  const { pid: dead } = spawnSync("true");
  const release = await lockDataDirectory(directory);
  const { started } = JSON.parse(await readFile(file, "utf8"));
  await release();
  for (const text of [
    JSON.stringify({ pid: dead, started }),
    JSON.stringify({ pid: process.pid, started: "an earlier start" }),
    "",
  ]) {
    await writeFile(file, text);
    await utimes(file, 0, 0);
    await (await lockDataDirectory(directory))();
    assert.deepEqual(await readdir(directory), []);
  }
});
