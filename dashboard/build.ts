import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "vite";
import config from "./vite.config.ts";

/**
 * Builds the app into a directory: `index.html`, and `assets/`, whose file names contain a content hash. Compresses
 * each file at build time instead of on each request.
 */
export async function buildDashboard({ outdir }: { outdir: string }): Promise<void> {
  await build({
    ...config,
    configFile: false,
    mode: "production",
    logLevel: "error",
    build: { ...config.build, outDir: outdir },
  });
  const names = await readdir(outdir, { recursive: true });
  const text = names.filter((name) => /\.(js|css|svg)$/.test(name));
  await Promise.all(text.map((name) => compress(join(outdir, name))));
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
  await Promise.all([
    promisify(gzip)(content, { level: 9 }).then((bytes) => writeFile(`${file}.gz`, bytes)),
    promisify(brotliCompress)(content, quality).then((bytes) => writeFile(`${file}.br`, bytes)),
  ]);
}

if (import.meta.main) await buildDashboard({ outdir: process.argv[2] ?? "dist" });
