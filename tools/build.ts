import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundlesDirectory, hashOfSources } from "../cli/browser-bundles.ts";
import { buildDashboard } from "../dashboard/build.ts";
import { buildEmbed } from "../embed/build.ts";

/**
 * Builds the card form and the dashboard into `dist/`, for a production that has no builders: `npm run build`. The
 * directory appears whole, and `sources` in it says what it was built from.
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
// esbuild and vite may leave a process that waits for more to build.
process.exit();
