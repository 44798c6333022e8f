import { rmSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmbedBuild } from "../build.ts";

export type BuiltEmbed = Pick<EmbedBuild, "outdir" | "manifest">;

let built: Promise<BuiltEmbed> | undefined;

/**
 * Returns the built embed. `npm test` builds the embed once and passes the directory to the tests, which only read it.
 */
export function builtEmbed(): Promise<BuiltEmbed> {
  const given = process.env.FLORIN_TEST_EMBED;
  built ??= given ? readBuild(given) : buildForThisFile();
  return built;
}

async function readBuild(outdir: string): Promise<BuiltEmbed> {
  return { outdir, manifest: JSON.parse(await readFile(join(outdir, "manifest.json"), "utf8")) };
}

async function buildForThisFile(): Promise<BuiltEmbed> {
  const outdir = await mkdtemp(join(tmpdir(), "florin-embed-"));
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  const { buildEmbed } = await import("../build.ts");
  return buildEmbed({ outdir });
}
