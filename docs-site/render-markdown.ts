import { posix } from "node:path";
import { type CodeLanguage, codeBlock, snippetTabs } from "@florin/server/app/docs/docs-markup.ts";
import {
  basePlaceholder,
  type DocsPage,
  type DocsSection,
} from "@florin/server/app/docs/docs-page.ts";
import { snippetsOf } from "@florin/server/app/docs/snippets.ts";
import type { Token } from "markdown-it";
import MarkdownIt from "markdown-it";
import { parseCurl } from "./parse-curl.ts";

/** A Markdown file of the repository that becomes a page. */
export type Source = {
  /** The path of the file in the repository. */
  readonly file: string;
  /** The path of the page below `/docs/`. */
  readonly path: string;
  readonly text: string;
};

const languages: Readonly<Record<string, CodeLanguage>> = {
  sh: "bash",
  js: "javascript",
  ts: "typescript",
  jsx: "javascript",
  json: "json",
  html: "xml",
  yaml: "plaintext",
  http: "plaintext",
  python: "python",
  go: "go",
  php: "php",
  java: "java",
};

/** The languages whose adjacent code blocks become the tabs of one block. */
const tabLanguages = ["python", "go", "php", "java"] as const;

/** Renders a Markdown file without its description. `pageOf` maps a file of the repository to the path of its page. */
export function renderMarkdown(
  source: Source,
  pageOf: (file: string) => string | undefined,
): Omit<DocsPage, "description"> {
  const markdown = new MarkdownIt({ html: false, linkify: false });
  const text = withoutComments(source.text);
  const tokens = markdown.parse(text, {});
  const links = linksOf(source.file, pageOf);
  for (const token of tokens) for (const child of token.children ?? []) links.replace(child);
  addHeadingIds(tokens);
  for (const token of tokens) alignByClass(token);
  let blocks = 0;

  markdown.renderer.rules.fence = (all, index) => {
    // A JavaScript block directly before a curl command becomes a tab of the command's block.
    if (isTabOfNext(all, index)) return "";
    const { content, info } = all[index] as Token;
    const previous = all[index - 1];
    const group = tabGroupAt(all, index);
    if (group) return group[0] === all[index] ? tabsOf(group) : "";
    const request = isShell(info) ? parseCurl(content, info) : null;
    if (request) {
      const own =
        previous && isTabOfNext(all, index - 1) ? { node: previous.content.trimEnd() } : {};
      return snippetTabs(`example-${++blocks}`, { ...snippetsOf(request), ...own });
    }
    return codeBlock(captions[info] ?? "Text", content.trimEnd(), languages[info] ?? "plaintext");
  };
  markdown.renderer.rules.code_inline = (all, index) => {
    const { content } = all[index] as Token;
    const text = markdown.utils.escapeHtml(content);
    // A card number stays on one line. Other code can wrap after a slash or a dot.
    return /^\d{4}( \d{2,})+$/.test(content)
      ? `<code class="line">${text}</code>`
      : `<code>${text.replace(/([/.])(?=\w)/g, "$1<wbr>")}</code>`;
  };
  markdown.renderer.rules.table_open = () =>
    '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>';
  markdown.renderer.rules.table_close = () => "</table></div>";
  markdown.renderer.rules.heading_close = (all, index) => {
    const open = all[index - 2] as Token;
    const { tag } = all[index] as Token;
    const id = open.attrGet("id");
    if (tag === "h1" || id === null) return `</${tag}>`;
    const title = all[index - 1]?.content ?? "";
    const label = markdown.utils.escapeHtml(`Link to the section ${plainText(title)}`);
    return `<a class="anchor" href="#${id}" aria-label="${label}">#</a></${tag}>`;
  };

  const tabsOf = (group: readonly Token[]) =>
    snippetTabs(
      `example-${++blocks}`,
      Object.fromEntries(group.map(({ info, content }) => [info, content.trimEnd()])),
    );
  const sections = sectionsOf(tokens);
  const [first] = sections;
  return {
    path: source.path,
    title: first?.title ?? source.path,
    layout: "article",
    body: withServiceUrl(source, markdown.renderer.render(tokens, markdown.options, {})),
    sections,
    markdown: withServiceUrl(source, links.inText(text)),
  };
}

/**
 * Replaces the example URLs of a service, so that the guides for merchants show the URL of the service that serves
 * them. The pages for operators keep their examples.
 */
function withServiceUrl({ file }: Source, text: string): string {
  if (!/^(docs\/guides|sdk)\//.test(file)) return text;
  return text.replaceAll(/https:\/\/pay\.example\.com|http:\/\/localhost:4242/g, basePlaceholder);
}

/** Removes the comments of generated files. */
function withoutComments(text: string): string {
  return text.replace(/<!--[\s\S]*?-->\n*/g, "");
}

/** Replaces the inline style of an aligned cell, which the Content-Security-Policy does not allow. */
function alignByClass(token: Token): void {
  const align = /text-align:(\w+)/.exec(String(token.attrGet("style") ?? ""))?.[1];
  if (align === undefined) return;
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== "style");
  token.attrSet("class", `align-${align}`);
}

const captions: Readonly<Record<string, string>> = {
  python: "Python",
  go: "Go",
  php: "PHP",
  java: "Java",
  sh: "Terminal",
  js: "JavaScript",
  ts: "TypeScript",
  jsx: "React",
  json: "JSON",
  html: "HTML",
  yaml: "YAML",
  http: "HTTP",
};

function tabOf({ type, info }: Token): boolean {
  return type === "fence" && tabLanguages.some((language) => language === info);
}

/**
 * Returns the group of adjacent code blocks that become tabs, including the block at `index`. Returns null if this
 * block cannot be a tab, or has no neighbor that can.
 */
function tabGroupAt(tokens: readonly Token[], index: number): readonly Token[] | null {
  const isTab = (at: number) => tokens[at] !== undefined && tabOf(tokens[at]);
  if (!isTab(index)) return null;
  let [start, end] = [index, index + 1];
  while (isTab(start - 1)) start--;
  while (isTab(end)) end++;
  return end - start > 1 ? tokens.slice(start, end) : null;
}

function isShell(info: string): boolean {
  return info === "sh" || info.startsWith("sh ");
}

function isTabOfNext(tokens: readonly Token[], index: number): boolean {
  const [token, next] = [tokens[index], tokens[index + 1]];
  if (token?.type !== "fence" || next?.type !== "fence") return false;
  return token.info === "js" && isShell(next.info) && parseCurl(next.content) !== null;
}

/**
 * Returns functions that replace links to files of the repository with links to the files' pages. A link to a file
 * without a page becomes text.
 */
function linksOf(file: string, pageOf: (file: string) => string | undefined) {
  const addressOf = (href: string): string | null => {
    if (/^(https?:|mailto:|#)/.test(href)) return href;
    const [path = "", fragment] = href.split("#");
    const target = posix.normalize(posix.join(posix.dirname(file), path));
    const image = /^docs\/images\/(.+\.png)$/.exec(target)?.[1];
    if (image) return `/docs/images/${image}`;
    const page = pageOf(target);
    if (page === undefined) return null;
    return `/docs/${page}${fragment ? `#${fragment}` : ""}`;
  };
  let openLinks: boolean[] = [];
  return {
    replace(token: Token): void {
      const name = token.type === "image" ? "src" : "href";
      if (token.type === "link_close") {
        // The start of the link was replaced with text, so its end is removed too.
        if (openLinks.pop() === false) token.hidden = true;
        if (token.hidden) Object.assign(token, { type: "text", content: "" });
        return;
      }
      if (token.type !== "link_open" && token.type !== "image") return;
      const address = addressOf(String(token.attrGet(name) ?? ""));
      if (token.type === "link_open") openLinks = [...openLinks, address !== null];
      if (address !== null) token.attrSet(name, address);
      else Object.assign(token, { type: "text", content: "" });
    },
    inText: (text: string) =>
      text.replace(/\]\(([^)\s]+)\)/g, (whole, href: string) => {
        const address = addressOf(href);
        if (address === null || /^(https?:|mailto:|#|\/docs\/images)/.test(address)) return whole;
        const [path, fragment] = address.split("#");
        return `](${path}.md${fragment ? `#${fragment}` : ""})`;
      }),
  };
}

/** Sets the IDs of headings in the same way as GitHub, so that links work in both places. */
function addHeadingIds(tokens: readonly Token[]): void {
  const used = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "heading_open" || token.tag === "h1") continue;
    const slug = plainText(tokens[index + 1]?.content ?? "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    token.attrSet("id", count === 0 ? slug : `${slug}-${count}`);
  }
}

/** Removes the marks of code, emphasis and links. */
function plainText(inline: string): string {
  return inline.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
}

/**
 * Returns the text below each heading of levels 1 to 3. The heading of level 1 is the page's title. The parent of a
 * level 3 section is the preceding level 2 section.
 */
function sectionsOf(tokens: readonly Token[]): DocsSection[] {
  const sections: { id: string; title: string; parent?: string; text: string }[] = [];
  let parent: string | undefined;
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open" && ["h1", "h2", "h3"].includes(token.tag)) {
      const title = plainText(tokens[index + 1]?.content ?? "");
      sections.push({
        id: String(token.attrGet("id") ?? ""),
        title,
        ...(token.tag === "h3" && parent !== undefined && { parent }),
        text: "",
      });
      if (token.tag === "h2") parent = title;
    } else if (token.type === "inline") {
      const section = sections.at(-1);
      const isTitle = tokens[index - 1]?.type === "heading_open" && section?.text === "";
      if (section && !isTitle) section.text += `${plainText(token.content)} `;
    }
  }
  return sections;
}
