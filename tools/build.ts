import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundlesDirectory } from "../cli/browser-bundles.ts";
import { hashOfSources } from "../cli/development-bundles.ts";
import { buildDashboard } from "../dashboard/build.ts";
import { buildDocs } from "../docs-site/build.ts";
import { buildEmbed } from "../embed/build.ts";
import { endProcess } from "../server/src/platform/processes/end-process.ts";

/**
 * `npm run build`: builds the card form, the dashboard and the documentation into `dist/bundles/` for production, where
 * no build tools are installed. The directory is replaced as a whole. Its file `sources` contains the hash of the
 * source files.
 */
export async function buildBundles(): Promise<void> {
  const staging = `${bundlesDirectory}.new`;
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  await buildEmbed({ outdir: join(staging, "embed") });
  await buildDashboard({ outdir: join(staging, "dashboard") });
  await buildDocs({ outdir: join(staging, "docs") });
  await writeFile(join(staging, "sources"), await hashOfSources());
  await rm(bundlesDirectory, { recursive: true, force: true });
  await rename(staging, bundlesDirectory);
}

if (import.meta.main) {
  await buildBundles();
  console.log(`Built the card form, the dashboard and the documentation into ${bundlesDirectory}.`);
  // Ends explicitly, because esbuild and vite may leave a child process running.
  endProcess(0);
}
