import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundlesDirectory, hashOfSources } from "../cli/browser-bundles.ts";
import { buildDashboard } from "../dashboard/build.ts";
import { buildEmbed } from "../embed/build.ts";

/**
 * Builds the card form and the dashboard into `dist/` for production, which has no build tools: `npm run build`. The
 * directory is replaced as a whole. Its file `sources` has the hash of the sources.
 */
const unfinished = `${bundlesDirectory}.new`;
await rm(unfinished, { recursive: true, force: true });
await mkdir(unfinished, { recursive: true });
await buildEmbed({ outdir: join(unfinished, "embed") });
await buildDashboard({ outdir: join(unfinished, "dashboard") });
await writeFile(join(unfinished, "sources"), await hashOfSources());
await rm(bundlesDirectory, { recursive: true, force: true });
await rename(unfinished, bundlesDirectory);
console.log(`Built the card form and the dashboard into ${bundlesDirectory}.`);
// esbuild and vite may leave a child process running.
process.exit();
