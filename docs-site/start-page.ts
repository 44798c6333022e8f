import type { DocsGroup, DocsPage } from "@florin/server/app/docs/docs-page.ts";

/** The pages that the start page shows first, in the order in which a new reader needs them. */
const first = ["guides/accept-a-payment", "guides/webhooks", "guides/refunds", "guides/card-form"];

/** Returns the start page of the documentation. */
export function startPage(groups: readonly DocsGroup[], pages: readonly DocsPage[]): DocsPage {
  const descriptions = new Map(pages.map(({ path, description }) => [path, description]));
  const titles = new Map(
    groups.flatMap(({ pages: listed }) => listed.map(({ path, title }) => [path, title])),
  );
  const description =
    "Accept card payments with Florin, operate the service, and look up every part of the API.";
  const shown = [
    { title: "Start here", paths: first },
    ...groups
      .map(({ title, pages: listed }) => ({
        title,
        paths: listed.map(({ path }) => path).filter((path) => !first.includes(path)),
      }))
      .filter(({ title }) => title !== "Get started"),
  ];
  const card = (path: string) => cardOf(path, titles.get(path) ?? "", descriptions.get(path) ?? "");
  const reference = [
    cardOf("api", "API reference", "Every operation with examples in six languages."),
    cardOf(
      "api/errors",
      "Error codes",
      "Every error code with its status, its meaning and the next step.",
    ),
    card("sdk"),
  ].join("");
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
          `## ${title}\n\n${listed.map(({ path, title: name }) => `- [${name}](/docs/${path}.md): ${descriptions.get(path)}`).join("\n")}`,
      )
      .join("\n\n")}\n\n- [API reference](/docs/api.md)`,
  };
}

function cardOf(path: string, title: string, description: string): string {
  return `<li><a href="/docs/${path}"><b>${escaped(title)}</b><span>${escaped(description)}</span></a></li>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
