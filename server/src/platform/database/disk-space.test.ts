import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { inMegabytes, isDiskFull } from "./disk-space.ts";

test("needed space is rounded up, and free space is rounded down", () => {
  assert.equal(inMegabytes(100_200_000), "101 MB");
  assert.equal(inMegabytes(100_800_000, Math.floor), "100 MB");
});

test("a disk is full if less than 1 MB is free", async (context) => {
  const directory = await mkdtemp(join(tmpdir(), "florin-disk-"));
  context.after(() => rmdir(directory));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", directory]);
  if (mounted.status !== 0) return context.skip("needs root to mount a disk");
  try {
    assert.equal(await isDiskFull(directory), false);
    await assert.rejects(writeFile(join(directory, "file"), Buffer.alloc(16_000_000)), /ENOSPC/);
    assert.equal(await isDiskFull(directory), true);
  } finally {
    assert.equal(spawnSync("umount", [directory]).status, 0);
  }
});
