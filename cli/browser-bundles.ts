import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { EmbedBuild } from "@florin/embed/build.ts";
import type { Config } from "@florin/server/config.ts";
import { StartupError } from "@florin/server/platform/database/startup-error.ts";
import { installation, isPackage } from "./installation.ts";

/** The bundles that browsers load from the service. */
export type BrowserBundles = {
  readonly embed: Pick<EmbedBuild, "outdir" | "manifest">;
  /** The directory of the built dashboard. */
  readonly dashboard: string;
  /** The directory of the built guides and scripts of `/docs`. */
  readonly docs: string;
};

/** The directory that `npm run build` writes. */
export const bundlesDirectory = resolve(installation, "dist/bundles");

/**
 * Builds the bundles whose sources changed. In production, reads the bundles that `npm run build` has built. The npm
 * package contains the bundles and no build tools.
 */
export async function browserBundles(config: Config): Promise<BrowserBundles> {
  if (isPackage) return readBundles();
  const { developmentBundles, hashOfSources } = await import("./development-bundles.ts");
  if (config.environment !== "production") return developmentBundles(config);
  const built = await readFile(join(bundlesDirectory, "sources"), "utf8").catch(() => null);
  if (built === null) {
    throw new StartupError(
      `${bundlesDirectory} does not contain a complete build of the card form, the dashboard and the documentation. ${howToBuild}`,
    );
  }
  if (built !== (await hashOfSources())) {
    throw new StartupError(
      `The card form, the dashboard and the documentation in ${bundlesDirectory} were built from different sources. ${howToBuild}`,
    );
  }
  return readBundles();
}

async function readBundles(): Promise<BrowserBundles> {
  const outdir = join(bundlesDirectory, "embed");
  const manifest = JSON.parse(await readFile(join(outdir, "manifest.json"), "utf8"));
  return {
    embed: { outdir, manifest },
    dashboard: join(bundlesDirectory, "dashboard"),
    docs: join(bundlesDirectory, "docs"),
  };
}

const howToBuild =
  "With NODE_ENV=production, `florin start` does not build the card form, the dashboard and the documentation. Run: npm ci && npm run build && npm ci --omit=dev (docs/operating/production.md#install).";
