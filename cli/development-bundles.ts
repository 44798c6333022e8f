import { join } from "node:path";
import { builtDashboard, hashOfFiles } from "@florin/dashboard/cached-build.ts";
import { builtDocs, docsSources } from "@florin/docs-site/cached-build.ts";
import { buildEmbedInChildProcess } from "@florin/embed/build-in-child-process.ts";
import type { Config } from "@florin/server/config.ts";

/** The paths that the bundles are built from. */
const sources = ["embed", "dashboard", "contract/src", ...docsSources];

/** Returns a hash of the bundles' sources, to detect a build from different sources. */
export function hashOfSources(): Promise<string> {
  return hashOfFiles(sources);
}

/** Builds the bundles whose sources changed. The npm package does not contain this file. */
export async function developmentBundles(config: Config) {
  const [embed, dashboard, docs] = await Promise.all([
    buildEmbedInChildProcess({ outdir: join(config.dataDirectory, "embed") }),
    builtDashboard({ fallback: join(config.dataDirectory, "dashboard") }),
    builtDocs({ fallback: join(config.dataDirectory, "docs") }),
  ]);
  return { embed, dashboard, docs };
}
