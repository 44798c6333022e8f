import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildEmbed } from "./build.ts";

/** What a shop's page and a phone on a train can bear; see the sizes by running build.ts. */
const gzipBudget = {
  loader: 4096,
  frameScript: 30 * 1024,
  frameStyle: 6 * 1024,
  challengeScript: 3 * 1024,
  challengeStyle: 1024,
};

test("the embed stays within its budget, and the loader holds no card code", async (t) => {
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
  assert.equal((await readdir(join(outdir, "assets"))).length, 4);

  // The merchant's page never meets a card: not the form, not the formatter, not the address of the vault.
  const loader = await readFile(join(outdir, manifest.loader), "utf8");
  assert.doesNotMatch(loader, /cc-number|vault|american-express|preact/i);
});
