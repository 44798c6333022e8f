import { join } from "node:path";
import { type CachedBuild, cachedBuild } from "@florin/dashboard/cached-build.ts";

/** The paths from which the pages and scripts of `/docs` are built. */
export const docsSources = [
  "docs",
  "docs-site",
  "sdk/README.md",
  "ARCHITECTURE.md",
  "server/src/app/docs",
  "package-lock.json",
];

const docs: CachedBuild = {
  name: "docs",
  sources: docsSources,
  script: join(import.meta.dirname, "build.ts"),
  proof: "docs.js",
};

/** Returns the directory of the built pages and scripts of `/docs`. */
export function builtDocs({ fallback }: { fallback: string }): Promise<string> {
  return cachedBuild(docs, fallback);
}
