import type { OpenApiDocument } from "@florin/contract/openapi.ts";
import { codeBlock, fence, prose, snippetTabs } from "./docs-markup.ts";
import type { DocsPage } from "./docs-page.ts";
import { type SnippetRequest, snippetsOf } from "./snippets.ts";

export function introduction(document: OpenApiDocument): DocsPage {
  const lead = String(document.info.description ?? "");
  const body = introductionSections.map(
    ({ id, title, text, snippet }) =>
      `<section class="pair" id="${id}"><div><h2>${title}</h2>${text.map((one) => `<p>${linked(one)}</p>`).join("")}</div><div class="aside">${snippet ? snippetTabs(id, snippetsOf(snippet)) : codeBlock("One page", pageExample, "json")}</div></section>`,
  );
  return {
    path: "api",
    title: "API reference",
    description: lead,
    layout: "wide",
    body: `<h1>API reference</h1><p class="lead">${prose(lead)} Generate a client from the <a href="/openapi.json">OpenAPI document</a>.</p>${body.join("")}`,
    sections: introductionSections.map(({ id, title, text }) => ({
      id,
      title,
      text: text.join(" "),
    })),
    markdown: [
      `# API reference\n\n${lead}`,
      ...introductionSections.map(
        ({ title, text, snippet }) =>
          `## ${title}\n\n${text.join("\n\n")}\n\n${snippet ? fence("sh", snippetsOf(snippet).curl) : fence("json", pageExample)}`,
      ),
    ].join("\n\n"),
  };
}

/** Renders a description in which `[code](link)` is a link. */
function linked(text: string): string {
  return prose(text).replace(/\[(<code>[^<]+<\/code>|[^\]]+)\]\(([^)]+)\)/g, `<a href="$2">$1</a>`);
}

const pageExample = `{
  "object": "list",
  "url": "/api/v1/charges",
  "has_more": true,
  "data": [ … ]
}`;

type IntroductionSection = {
  readonly id: string;
  readonly title: string;
  readonly text: readonly string[];
  readonly snippet: SnippetRequest | null;
};

const introductionSections: readonly IntroductionSection[] = [
  {
    id: "authentication",
    title: "Authentication",
    text: [
      "Send your secret key with every request. Keys that begin with `sk_test_` never move money. Keys that begin with `sk_live_` do. Store both on your server only.",
    ],
    snippet: { method: "GET", path: "/account", responds: "json" },
  },
  {
    id: "requests",
    title: "Request bodies",
    text: [
      "Bodies are JSON objects in UTF-8, uncompressed, of at most 64 KiB, 16 levels and 5,000 members and elements. Unknown parameters are rejected, including in the query of a POST. Paths have no slash at the end.",
      "In an optional parameter, `null` means the same as no parameter, in create and update requests and for the `Idempotency-Key`. If an update can remove a stored value, such as a description or a pair of the metadata, `null` removes it.",
    ],
    snippet: {
      method: "POST",
      path: "/customers",
      body: { email: "ada@example.com", name: null },
      responds: "json",
    },
  },
  {
    id: "idempotency",
    title: "Idempotency",
    text: [
      "Every POST accepts an `Idempotency-Key` of your choice. The header is optional, but without it, a repeated request is executed again. For 24 hours, the same key with the same body returns the first response, marked `Idempotent-Replayed: true`, and nothing is executed twice. The same key with another body is rejected with [`idempotency_key_in_use`](/docs/api/errors#error-idempotency_key_in_use). After a timeout or a 5xx, send the same request with the same key. The SDK does this for you.",
    ],
    snippet: {
      method: "POST",
      path: "/charges",
      body: { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" },
      responds: "json",
    },
  },
  {
    id: "rate-limits",
    title: "Rate limits",
    text: [
      "Each response has the headers `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`. A request above the limit is rejected with 429 and not executed. Send it again after the number of seconds in `Retry-After`.",
      "Each response also has a `Request-Id`. Include it in support requests.",
    ],
    snippet: { method: "GET", path: "/balance", responds: "json" },
  },
  {
    id: "lists",
    title: "Lists",
    text: [
      "Lists are newest first by default. Request up to 100 objects with `limit`, and filter by time of creation with `created[gte]`, `created[gt]`, `created[lte]` and `created[lt]`.",
      "While `has_more` is `true`, request the next page with the ID of the last object of the page: `GET /api/v1/charges?limit=100&starting_after=ch_…`. Objects that are created in the meantime do not shift the following pages. `ending_before` with the ID of the first object of a page returns the page before it. The SDK requests the pages for you: `for await (const charge of florin.charges.list()) …`.",
    ],
    snippet: null,
  },
];
