import type { DocsGroup, DocsPage } from "@florin/server/app/docs/docs-page.ts";

/** The pages that the start page shows first, in the order in which a new reader needs them. */
const first = ["guides/accept-a-payment", "guides/webhooks", "guides/refunds", "guides/card-form"];

/** Returns the start page of the documentation. */
export function startPage(groups: readonly DocsGroup[], pages: readonly DocsPage[]): DocsPage {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const description =
    "Accept card payments with your own Florin service: guides, the API reference and the operation of a service.";
  const shown = [
    { title: "Start here", paths: first },
    ...groups
      .map(({ title, pages: listed }) => ({
        title,
        paths: listed.map(({ path }) => path).filter((path) => !first.includes(path)),
      }))
      .filter(({ title }) => title !== "Get started"),
  ];
  const card = (path: string) => {
    const page = byPath.get(path);
    return page
      ? `<li><a href="/docs/${path}"><b>${escaped(page.title)}</b><span>${escaped(page.description)}</span></a></li>`
      : "";
  };
  const reference = `<li><a href="/docs/api"><b>API reference</b><span>Every operation with examples in six languages.</span></a></li><li><a href="/docs/api/errors"><b>Error codes</b><span>Every error code with the next step.</span></a></li><li><a href="/docs/sdk"><b>The SDK</b><span>The client for JavaScript and TypeScript.</span></a></li>`;
  return {
    path: "",
    title: "Florin documentation",
    description,
    layout: "wide",
    body: `<h1>Florin documentation</h1><p class="lead">${description}</p>${shown.map(({ title, paths }, index) => `<h2>${title}</h2><ul class="cards">${paths.map(card).join("")}${index === 0 ? reference : ""}</ul>`).join("")}`,
    sections: [{ id: "", title: "Florin documentation", text: description }],
    markdown: `# Florin documentation\n\n${description}\n\n${groups
      .map(
        ({ title, pages: listed }) =>
          `## ${title}\n\n${listed.map(({ path, title: name }) => `- [${name}](/docs/${path}.md)`).join("\n")}`,
      )
      .join("\n\n")}\n\n- [API reference](/docs/api.md)`,
  };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
