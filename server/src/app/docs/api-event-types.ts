import type { OpenApiDocument } from "@florin/contract/openapi.ts";
import { escapeHtml } from "../../platform/http/escape-html.ts";
import { objectLink } from "./api-schemas.ts";
import { prose, row, table } from "./docs-markup.ts";
import type { DocsPage } from "./docs-page.ts";

export function webhooks(document: OpenApiDocument): DocsPage {
  const lead =
    "Florin sends each event as a POST to your webhook endpoints. Verify its signature before you trust it.";
  const events = Object.entries(document.webhooks).map(([type, { post }]) => ({
    type,
    description: post.description,
    reference: String(post.requestBody?.content["application/json"]?.schema.$ref),
  }));
  const rows = events.map(({ type, description, reference }) =>
    row(`event-${type}`, [
      `<code>${escapeHtml(type)}</code>`,
      prose(description),
      objectLink(reference),
    ]),
  );
  return {
    path: "api/webhooks",
    title: "Event types",
    description: lead,
    layout: "wide",
    body: `<h1>Event types</h1><p class="lead">${lead} See <a href="/docs/guides/webhooks">Webhooks</a>.</p>${table(["Type", "Meaning", "Event"], rows)}`,
    sections: events.map(({ type, description }) => ({
      id: `event-${type}`,
      title: type,
      text: description,
    })),
    markdown: `# Event types\n\n${lead}\n\n${events.map(({ type, description }) => `- \`${type}\`: ${description}`).join("\n")}`,
  };
}
