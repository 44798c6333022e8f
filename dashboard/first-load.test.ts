import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { builtDashboard } from "./cached-build.ts";

/** Size limits in bytes for the first page on a slow mobile connection. */
const scriptBudget = 200 * 1024;
const styleBudget = 20 * 1024;

type Chunk = { readonly file: string; readonly imports?: string[]; readonly css?: string[] };

const directory = await builtDashboard({ fallback: join(tmpdir(), "florin-dashboard") });
const manifestFile = join(directory, ".vite/manifest.json");
const manifest: Record<string, Chunk> = JSON.parse(await readFile(manifestFile, "utf8"));

/** Returns the files of the given modules and of their static imports, without duplicates. */
function filesFor(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    const chunk = manifest[name];
    assert.ok(chunk, `the build has no chunk for ${name}`);
    if (found.has(chunk.file)) continue;
    found.add(chunk.file);
    filesFor(chunk.imports ?? [], found);
  }
  return found;
}

async function gzipBytes(files: Iterable<string>): Promise<number> {
  const sizes = [...files].map(
    async (file) => gzipSync(await readFile(join(directory, file)), { level: 9 }).length,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

for (const page of ["pages/overview/overview.tsx", "pages/payments/payments.tsx"]) {
  test(`the first load of ${page} stays within its budget`, async (t) => {
    const bytes = await gzipBytes(
      filesFor(["index.html", "src/shell/account-shell.tsx", `src/${page}`]),
    );
    t.diagnostic(`${bytes} bytes of script, gzipped`);
    assert.ok(bytes <= scriptBudget, `${bytes} bytes gzipped`);
  });
}

test("the stylesheet stays within its size limit", async () => {
  const styles = Object.values(manifest).flatMap(({ css = [] }) => css);
  assert.ok(styles.length > 0);
  assert.ok((await gzipBytes(new Set(styles))) <= styleBudget);
});

test("a second build of unchanged sources writes no files", async () => {
  const built = await stat(manifestFile, { bigint: true });
  const again = await builtDashboard({ fallback: join(tmpdir(), "florin-dashboard") });
  assert.equal(again, directory);
  const { ino, mtimeNs } = await stat(manifestFile, { bigint: true });
  assert.deepEqual({ ino, mtimeNs }, { ino: built.ino, mtimeNs: built.mtimeNs });
});
