import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildEmbed, scriptInventory } from "./build.ts";
import { languages } from "./src/frame/locales/choose-locale.ts";

/** Size limits in bytes for a slow mobile connection. `build.ts` prints the current sizes. */
const gzipBudget = {
  loader: 4.25 * 1024,
  frameScript: 30 * 1024,
  frameStyle: 6 * 1024,
  words: 3 * 1024,
  challengeScript: 3 * 1024,
  challengeStyle: 1024,
  googlePayScript: 2.5 * 1024,
} as const;

test("the embed stays within its size budget, and the loader contains no card code", async (t) => {
  const outdir = await mkdtemp(join(tmpdir(), "florin-embed-"));
  t.after(() => rm(outdir, { recursive: true }));
  const { manifest, gzipBytes } = await buildEmbed({ outdir });

  for (const part of Object.keys(gzipBudget) as (keyof typeof gzipBudget)[]) {
    assert.ok(gzipBytes[part] <= gzipBudget[part], `${part}: ${gzipBytes[part]} bytes gzipped`);
    assert.ok(gzipBytes[part] > 0);
  }
  assert.deepEqual(JSON.parse(await readFile(join(outdir, "manifest.json"), "utf8")), manifest);
  assert.match(manifest.frameScript, /^assets\/frame-[A-Z0-9]{8}\.js$/);
  assert.match(manifest.frameStyle, /^assets\/frame-[A-Z0-9]{8}\.css$/);
  // Expects a script and a stylesheet for the form, a script and a stylesheet for the challenge, and one dictionary per
  // language. Any further file would cost another request.
  assert.equal((await readdir(join(outdir, "assets"))).length, 4 + languages.length);

  // The loader runs on the merchant's page, so it must contain no form, no formatter and no vault URL.
  const loader = await readFile(join(outdir, manifest.loader), "utf8");
  assert.doesNotMatch(loader, /cc-number|vault|american-express|preact/i);
});

test("the pinned loader equals the loader, and its published SRI hash is correct", async (t) => {
  const outdir = await mkdtemp(join(tmpdir(), "florin-embed-"));
  t.after(() => rm(outdir, { recursive: true }));
  const { manifest } = await buildEmbed({ outdir });
  const pinned = await readFile(join(outdir, manifest.pinnedLoader));
  assert.deepEqual(pinned, await readFile(join(outdir, manifest.loader)));
  const hash = createHash("sha384").update(pinned).digest("base64");
  assert.equal(manifest.loaderIntegrity, `sha384-${hash}`);
});

test("the inventory lists every script that the build writes", async (t) => {
  const outdir = await mkdtemp(join(tmpdir(), "florin-embed-"));
  t.after(() => rm(outdir, { recursive: true }));
  const built = await buildEmbed({ outdir });
  const listed = (await scriptInventory(built)).map(({ file }) => file);
  const written = (await readdir(outdir, { recursive: true })).filter((name) =>
    name.endsWith(".js"),
  );
  assert.deepEqual(listed.toSorted(), written.toSorted());
});
