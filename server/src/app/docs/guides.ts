import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DocsGroup, DocsPage } from "./docs-page.ts";

/** The content of `guides.json`, which `docs-site/build.ts` writes. */
export type GuidesFile = {
  readonly groups: readonly DocsGroup[];
  readonly pages: readonly DocsPage[];
};

export type BuiltGuides = GuidesFile & {
  readonly directory: string;
  /** The paths of the images, relative to `images/`. */
  readonly images: readonly string[];
};

/** Reads the guides that were built from Markdown. */
export function readGuides(directory: string): BuiltGuides {
  const file: GuidesFile = JSON.parse(readFileSync(join(directory, "guides.json"), "utf8"));
  const images = readdirSync(join(directory, "images"), { recursive: true, encoding: "utf8" });
  return { ...file, directory, images: images.filter((name) => name.endsWith(".png")) };
}
