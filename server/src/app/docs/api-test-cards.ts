import { escapeHtml } from "../../platform/http/escape-html.ts";
import { prose, row, table } from "./docs-markup.ts";
import type { DocsPage } from "./docs-page.ts";

/** A card of the simulator, with the fields that the page shows. */
export type ReferenceTestCard = {
  readonly number: string;
  readonly group: string;
  readonly description: string;
};

export function cards(testCards: readonly ReferenceTestCard[]): DocsPage {
  const lead =
    "Use any future expiry date and any security code of 3 digits (4 for American Express). Test mode accepts only these cards, and live mode rejects them.";
  const grouped = testCards.map((card) => ({
    ...card,
    number: card.number.replace(/(\d{4})(?=\d)/g, "$1 "),
    kind: card.group.replaceAll("_", " "),
  }));
  const rows = grouped.map(({ number, description, kind }) =>
    row(null, [
      `<code class="number">${escapeHtml(number)}</code>`,
      prose(description),
      escapeHtml(kind),
    ]),
  );
  return {
    path: "api/test-cards",
    title: "Test card numbers",
    description: lead,
    layout: "wide",
    body: `<h1>Test card numbers</h1><p class="lead">${lead}</p>${table(["Number", "Behavior", "Kind"], rows)}`,
    sections: [{ id: "", title: "Test card numbers", text: lead }],
    markdown: `# Test card numbers\n\n${lead}\n\n${grouped.map(({ number, description }) => `- \`${number}\`: ${description}`).join("\n")}`,
  };
}
