import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, stop } from "esbuild";
import type { EmbedManifest } from "./src/frame/document.ts";

/**
 * Builds the loader and the card frame. `npm start` runs it, so it must stay quick. The frame's files carry a hash of
 * their content and may be cached for ever; the loader keeps its name, for it stands in merchants' pages.
 *
 *   dist/embed.js  dist/assets/frame-….js  dist/assets/frame-….css  dist/assets/challenge-….js and .css
 *   dist/manifest.json
 */
export type EmbedBuild = {
  readonly outdir: string;
  readonly manifest: EmbedManifest;
  /** Bytes after gzip, as they go over the wire. */
  readonly gzipBytes: Readonly<Record<keyof EmbedManifest, number>>;
};

export const defaultOutdir = fileURLToPath(new URL("./dist", import.meta.url));

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const common: BuildOptions = {
  bundle: true,
  minify: true,
  metafile: true,
  write: true,
  legalComments: "none",
  charset: "utf8",
  logLevel: "silent",
  // Browsers since the end of 2022: `:has()`, `structuredClone`, `AbortSignal.timeout`.
  target: ["chrome107", "firefox121", "safari16"],
};

export async function buildEmbed({ outdir = defaultOutdir } = {}): Promise<EmbedBuild> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const [frame, challenge] = await Promise.all([
    build({
      ...common,
      entryPoints: [source("frame/main.tsx"), source("frame/frame.css")],
      outdir: join(outdir, "assets"),
      entryNames: "frame-[hash]",
      format: "esm",
      jsx: "automatic",
      jsxImportSource: "preact",
    }),
    build({
      ...common,
      entryPoints: [source("challenge/main.ts"), source("challenge/challenge.css")],
      outdir: join(outdir, "assets"),
      entryNames: "challenge-[hash]",
      format: "esm",
    }),
    build({
      ...common,
      entryPoints: [source("page/embed.ts")],
      outfile: join(outdir, "embed.js"),
      format: "iife",
    }),
  ]);

  // The server that called us runs for months; esbuild's own process need not.
  await stop();

  const written = Object.keys(frame.metafile?.outputs ?? {});
  const ofChallenge = Object.keys(challenge.metafile?.outputs ?? {});
  const manifest: EmbedManifest = {
    loader: "embed.js",
    frameScript: assetNamed(written, ".js"),
    frameStyle: assetNamed(written, ".css"),
    challengeScript: assetNamed(ofChallenge, ".js"),
    challengeStyle: assetNamed(ofChallenge, ".css"),
  };
  await writeFile(join(outdir, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return {
    outdir,
    manifest,
    gzipBytes: {
      loader: await gzipSize(join(outdir, manifest.loader)),
      frameScript: await gzipSize(join(outdir, manifest.frameScript)),
      frameStyle: await gzipSize(join(outdir, manifest.frameStyle)),
      challengeScript: await gzipSize(join(outdir, manifest.challengeScript)),
      challengeStyle: await gzipSize(join(outdir, manifest.challengeStyle)),
    },
  };
}

function assetNamed(written: readonly string[], ending: string): string {
  const path = written.find((name) => name.endsWith(ending));
  if (!path) throw new Error(`The embed's build wrote no ${ending} file.`);
  return `assets/${path.slice(path.lastIndexOf("/") + 1)}`;
}

async function gzipSize(path: string): Promise<number> {
  return gzipSync(await readFile(path), { level: 9 }).length;
}

if (import.meta.main) {
  const started = performance.now();
  const { manifest, gzipBytes } = await buildEmbed();
  for (const part of Object.keys(manifest) as (keyof EmbedManifest)[]) {
    console.log(`${manifest[part].padEnd(28)} ${gzipBytes[part]} bytes gzipped`);
  }
  console.log(`built in ${Math.round(performance.now() - started)} ms`);
}
