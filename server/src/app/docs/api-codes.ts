import type { DeclineDescription } from "@florin/contract/declines.ts";
import type { ErrorDescription } from "@florin/contract/errors.ts";
import type { OpenApiDocument } from "@florin/contract/openapi.ts";
import { escapeHtml } from "../../platform/http/escape-html.ts";
import { breakable, prose, row, table } from "./docs-markup.ts";
import type { DocsPage } from "./docs-page.ts";

export function errors(document: OpenApiDocument): DocsPage {
  const codes = Object.entries<ErrorDescription>(document["x-error-codes"]);
  const lead = "Branch on `type` and `code`, never on the text of `message`.";
  const rows = codes.map(([code, { type, status, meaning, whatToDo }]) =>
    row(`error-${code}`, [
      `<a href="#error-${code}"><code>${breakable(code)}</code></a><small>${type}</small>`,
      `<span class="status s${Math.floor(status / 100)}">${status}</span>`,
      prose(meaning),
      prose(whatToDo),
    ]),
  );
  return {
    path: "api/errors",
    title: "Error codes",
    description: "Every error code with its status, its meaning and the next step.",
    layout: "wide",
    body: `<h1>Error codes</h1><p class="lead">${prose(lead)}</p>${table(["Code", "Status", "Meaning", "Next step"], rows)}`,
    sections: codes.map(([code, { meaning, whatToDo }]) => ({
      id: `error-${code}`,
      title: code,
      text: `${meaning} ${whatToDo}`,
    })),
    markdown: `# Error codes\n\n${lead}\n\n${codes.map(([code, { type, status, meaning, whatToDo }]) => `- \`${code}\` (${status}, \`${type}\`): ${meaning} ${whatToDo}`).join("\n")}`,
  };
}

export function declines(document: OpenApiDocument): DocsPage {
  const codes = Object.entries<DeclineDescription>(document["x-decline-codes"]);
  const lead = "Reasons for declines, and when to retry.";
  const rows = codes.map(([code, decline]) =>
    row(`decline-${code}`, [
      `<a href="#decline-${code}"><code>${breakable(code)}</code></a><small>${decline.networkCodes.map(escapeHtml).join(", ")}</small>`,
      `<span class="retry ${decline.retry}">${decline.retry}</span>`,
      prose(decline.meaning),
      prose(decline.nextStep),
      prose(decline.customerMessage),
    ]),
  );
  return {
    path: "api/declines",
    title: "Decline codes",
    description: lead,
    layout: "wide",
    body: `<h1>Decline codes</h1><p class="lead">${lead}</p>${table(["Code", "Retry", "Meaning", "Next step", "Message to the customer"], rows)}`,
    sections: codes.map(([code, { meaning, nextStep }]) => ({
      id: `decline-${code}`,
      title: code,
      text: `${meaning} ${nextStep}`,
    })),
    markdown: `# Decline codes\n\n${lead}\n\n${codes.map(([code, { retry, meaning, nextStep }]) => `- \`${code}\` (retry: ${retry}): ${meaning} ${nextStep}`).join("\n")}`,
  };
}
