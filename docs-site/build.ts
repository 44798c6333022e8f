import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { GuidesFile } from "@florin/server/app/docs/guides.ts";
import { build } from "esbuild";
import { descriptionOf, navigation, replacedPages } from "./navigation.ts";
import { renderMarkdown, type Source } from "./render-markdown.ts";
import { startPage } from "./start-page.ts";

const root = resolve(import.meta.dirname, "..");

/**
 * Builds the pages of `/docs` that are written in Markdown, and the scripts of all pages, into a directory:
 * `guides.json`, `docs.js`, `theme.js` and `images/`. The service renders the API reference.
 */
export async function buildDocs({ outdir }: { outdir: string }): Promise<void> {
  mkdirSync(outdir, { recursive: true });
  writeFileSync(join(outdir, "guides.json"), JSON.stringify(guides()));
  cpSync(join(root, "docs/images"), join(outdir, "images"), { recursive: true });
  await build({
    entryPoints: {
      docs: join(import.meta.dirname, "src/docs-page.ts"),
      theme: join(import.meta.dirname, "src/theme.ts"),
    },
    outdir,
    bundle: true,
    minify: true,
    format: "iife",
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
    target: ["chrome123", "firefox125", "safari17.5"],
  });
}

/** Returns every page that is built from a Markdown file, and the groups of the navigation. */
export function guides(): GuidesFile {
  const sources = sourcesOf();
  const paths = new Map(sources.map(({ file, path }) => [file, path]));
  for (const [from, to] of Object.entries(replacedPages)) paths.set(`docs/${from}.md`, to);
  const pages = sources.map((source) => {
    const page = renderMarkdown(source, (file) => paths.get(file));
    return { ...page, description: descriptionOf(page.path, page.title) };
  });
  const titles = new Map(pages.map(({ path, title }) => [path, title]));
  const groups = navigation.map(({ title, pages: listed }) => ({
    title,
    pages: Object.keys(listed).map((path) => ({ path, title: titleOf(titles, path) })),
  }));
  return { groups, pages: [startPage(groups, pages), ...pages] };
}

function titleOf(titles: ReadonlyMap<string, string>, path: string): string {
  const title = titles.get(path);
  if (title === undefined) throw new Error(`The navigation lists ${path}, which is not a page.`);
  return title.replace(/^@florin\/sdk$/, "The SDK");
}

/** Returns the Markdown files that become pages. */
function sourcesOf(): Source[] {
  const files = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !(name.slice(0, -3) in replacedPages))
    .sort()
    .map((name) => ({ file: `docs/${name}`, path: name.slice(0, -3) }));
  const more = [
    { file: "sdk/README.md", path: "sdk" },
    { file: "ARCHITECTURE.md", path: "architecture" },
  ];
  return [...files, ...more].map(({ file, path }) => ({
    file,
    path,
    text: readFileSync(join(root, file), "utf8"),
  }));
}

if (import.meta.main) await buildDocs({ outdir: process.argv[2] ?? "dist" });
