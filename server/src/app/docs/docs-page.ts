import { escapeHtml } from "../../platform/http/escape-html.ts";

/** A placeholder in rendered pages and snippets for the URL of the service. */
export const basePlaceholder = "{base_url}";

/** A part of a page that the search finds and that a URL can refer to. */
export type DocsSection = {
  /** The fragment of the URL, or an empty string for the start of the page. */
  readonly id: string;
  readonly title: string;
  /** The title of the section that contains this one. A section with a parent is not in the list beside the text. */
  readonly parent?: string;
  /** The text of the section without markup. */
  readonly text: string;
};

/** A page below `/docs`. */
export type DocsPage = {
  /** The path below `/docs/`, or an empty string for the start page. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** The content as HTML. */
  readonly body: string;
  readonly sections: readonly DocsSection[];
  /** The content as Markdown. */
  readonly markdown: string;
  /** `article` shows the sections beside the text. `wide` has the examples beside the text. */
  readonly layout: "article" | "wide";
};

/** A group of pages in the navigation. */
export type DocsGroup = {
  readonly title: string;
  readonly pages: readonly { readonly path: string; readonly title: string }[];
};

export type DocsSite = {
  readonly groups: readonly DocsGroup[];
  /** True if the scripts are built. Without them the pages have no search and no copy buttons. */
  readonly hasScripts: boolean;
};

export function addressOf(path: string): string {
  return path === "" ? "/docs" : `/docs/${path}`;
}

/** Renders a page with the navigation. The page works without its scripts. */
export function renderPage(page: DocsPage, site: DocsSite): string {
  const { path, title, description, layout } = page;
  const scripts = site.hasScripts
    ? `<script src="/docs/assets/theme.js"></script>\n<script src="/docs/assets/docs.js" defer></script>`
    : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(path === "" ? title : `${title} – Florin docs`)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${addressOf(path === "" ? "index" : path)}.md">
<link rel="stylesheet" href="/docs/assets/docs.css">
${scripts}
</head>
<body class="${layout}">
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<a class="brand" href="/docs"><span class="logo" aria-hidden="true">ƒ</span>Florin <small>Docs</small></a>
<div class="tools" id="tools"></div>
<a class="bar-link" href="/dashboard">Dashboard</a>
<a class="bar-link menu-link" href="#menu">Menu</a>
</header>
<nav class="side" id="menu" aria-label="Documentation">
<a class="menu-close" href="#main">Close</a>
${site.groups.map((group) => navigationGroup(group, path)).join("\n")}
</nav>
<main id="main">
<article>
${page.body}
</article>
<footer>${neighbors(page, site)}<p><a href="${addressOf(path === "" ? "index" : path)}.md">This page as Markdown</a></p></footer>
</main>
${layout === "article" ? contents(page) : ""}
</body>
</html>
`;
}

function navigationGroup({ title, pages }: DocsGroup, current: string): string {
  const links = pages.map(({ path, title }) => {
    const mark = path === current ? ` aria-current="page"` : "";
    return `<li><a href="${addressOf(path)}"${mark}>${escapeHtml(title)}</a></li>`;
  });
  return `<p>${escapeHtml(title)}</p><ul>${links.join("")}</ul>`;
}

/** Returns links to the previous and the next page in the group of this page. */
function neighbors({ path }: DocsPage, { groups }: DocsSite): string {
  const pages = groups.find((group) => group.pages.some((page) => page.path === path))?.pages ?? [];
  const index = pages.findIndex((page) => page.path === path);
  const link = (at: number, label: string, rel: string) => {
    const page = pages[at];
    if (!page) return "";
    return `<a rel="${rel}" href="${addressOf(page.path)}"><small>${label}</small>${escapeHtml(page.title)}</a>`;
  };
  if (index === -1) return "";
  return `<nav class="neighbors" aria-label="Neighboring pages">${link(index - 1, "Previous", "prev")}${link(index + 1, "Next", "next")}</nav>`;
}

/** Returns the list of the sections of an article. */
function contents({ sections }: DocsPage): string {
  const shown = sections.filter(({ id, parent }) => id !== "" && parent === undefined);
  if (shown.length < 2) return "";
  const links = shown.map(
    ({ id, title }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(title)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${links.join("")}</ul></nav>`;
}
