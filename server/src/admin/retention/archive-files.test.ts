import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assertArchiveWritable } from "./archive-files.ts";

test("an archive directory is created, and one to which Florin cannot write is rejected with the fix", async (t) => {
  const home = await mkdtemp(join(tmpdir(), "florin-archive-"));
  t.after(() => rm(home, { recursive: true }));
  await assertArchiveWritable(join(home, "archives/2026"));
  assert.deepEqual(await readdir(join(home, "archives/2026")), []);

  await writeFile(join(home, "file"), "");
  // On Linux, no user can create a directory in /proc. Node's recursive mkdir would never return there.
  const inProc = process.platform === "linux" ? ["/proc/florin/archives", "/proc"] : [];
  for (const directory of [join(home, "file"), join(home, "file/archives"), ...inProc]) {
    await assert.rejects(assertArchiveWritable(directory), {
      name: "StartupError",
      message: new RegExp(
        `^Florin cannot write to FLORIN_ARCHIVE, ${directory} \\(E[A-Z]+\\)\\. Check that its disk is mounted`,
      ),
    });
  }
});
