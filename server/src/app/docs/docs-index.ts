import { addressOf, type DocsGroup, type DocsPage } from "./docs-page.ts";

/** An entry of the search: a section of a page. */
export type SearchEntry = {
  readonly id: number;
  readonly url: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
};

/** The text of a section after this many characters is not searched, so that the index stays small. */
const maxSearchedText = 2_000;

/** Returns the sections of the pages in the navigation. */
export function searchIndex(
  groups: readonly DocsGroup[],
  pages: readonly DocsPage[],
): SearchEntry[] {
  return listed(groups, pages)
    .flatMap(({ path, title, sections }) =>
      sections.map((section) => ({
        url: section.id === "" ? addressOf(path) : `${addressOf(path)}#${section.id}`,
        page: section.parent === undefined ? title : `${title} › ${section.parent}`,
        title: section.title,
        text: section.text.slice(0, maxSearchedText),
      })),
    )
    .map((entry, id) => ({ id, ...entry }));
}

/** Returns `llms.txt` (https://llmstxt.org): an index of the Markdown files. */
export function llmsText(
  groups: readonly DocsGroup[],
  pages: readonly DocsPage[],
  publicUrl: string,
): string {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const sections = groups.map(({ title, pages: links }) => {
    const lines = links.map(({ path, title: name }) => {
      const url = `${publicUrl}${addressOf(path === "" ? "index" : path)}.md`;
      const description = byPath.get(path)?.description ?? "";
      return `- [${name}](${url})${description ? `: ${description}` : ""}`;
    });
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  return `# Florin

> Florin is a self-hosted card payments service. This server is at ${publicUrl}. The OpenAPI document is at ${publicUrl}/openapi.json.

${sections.join("\n\n")}
`;
}

function listed(groups: readonly DocsGroup[], pages: readonly DocsPage[]): DocsPage[] {
  const paths = new Set(groups.flatMap((group) => group.pages.map(({ path }) => path)));
  return pages.filter(({ path }) => paths.has(path));
}
