import type { DeclineDescription } from "@florin/contract/declines.ts";
import type { ErrorDescription } from "@florin/contract/errors.ts";
import { exampleId, type IdPrefix } from "@florin/contract/ids.ts";
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
} from "@florin/contract/openapi.ts";
import { escapeHtml } from "../../platform/http/escape-html.ts";
import { exampleBody, exampleOf } from "../../platform/http/reference-example.ts";
import { codeBlock, prose, row, snippetTabs, table } from "./docs-markup.ts";
import type { DocsPage, DocsSection } from "./docs-page.ts";
import { type SnippetRequest, snippetsOf } from "./snippets.ts";

/** A card of the simulator, with the fields that the page shows. */
export type ReferenceTestCard = {
  readonly number: string;
  readonly group: string;
  readonly description: string;
};

/** Returns the pages of the API reference, which are rendered from the OpenAPI document. */
export function apiPages(
  document: OpenApiDocument,
  testCards: readonly ReferenceTestCard[],
): DocsPage[] {
  return [
    introduction(document),
    ...document.tags
      .filter(({ name }) => name !== "webhooks")
      .map(({ name, description }) => resourcePage(document, name, description)),
    webhooks(document),
    objects(document),
    errors(document),
    declines(document),
    ...(testCards.length > 0 ? [cards(testCards)] : []),
  ];
}

export type Endpoint = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
};

export function endpointsOf(document: OpenApiDocument, tag: string): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function methodTag(method: string): string {
  const shown = method === "DELETE" ? "DEL" : method;
  return `<b class="method ${method.toLowerCase()}">${shown}</b>`;
}

/** Converts `checkout_sessions` to "Checkout sessions". */
function title(tag: string): string {
  const words = tag.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function introduction(document: OpenApiDocument): DocsPage {
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
      "Every POST accepts an `Idempotency-Key` of your choice. For 24 hours, the same key with the same body returns the first response, marked `Idempotent-Replayed: true`, and nothing is executed twice. The same key with another body is rejected with [`idempotency_key_in_use`](/docs/api/errors#error-idempotency_key_in_use). After a timeout or a 5xx, send the same request with the same key. The SDK does this for you.",
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
      "Lists are newest first. Request up to 100 objects with `limit`, continue with `starting_after` and the ID of the last object, and filter by time of creation with `created[gte]`, `created[gt]`, `created[lte]` and `created[lt]`.",
    ],
    snippet: null,
  },
];

function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

function resourcePage(document: OpenApiDocument, tag: string, description: string): DocsPage {
  const endpoints = endpointsOf(document, tag);
  const list = endpoints.map(
    ({ method, path, operation }) =>
      `<li><a href="#${operation.operationId}">${methodTag(method)}<code>${escapeHtml(path)}</code><span>${escapeHtml(operation.summary)}</span></a></li>`,
  );
  return {
    path: `api/${tag}`,
    title: title(tag),
    description,
    layout: "wide",
    body: `<h1>${escapeHtml(title(tag))}</h1><p class="lead">${prose(description)}</p><ul class="operations">${list.join("")}</ul>${endpoints.map((endpoint) => endpointSection(document, endpoint)).join("\n")}`,
    sections: endpoints.map((endpoint) => endpointSearch(document, endpoint)),
    markdown: [
      `# ${title(tag)}\n\n${description}`,
      ...endpoints.map((endpoint) => endpointMarkdown(document, endpoint)),
    ].join("\n\n"),
  };
}

/** Returns the text by which the search finds an operation, with the names of its parameters. */
function endpointSearch(
  document: OpenApiDocument,
  { operation, method, path }: Endpoint,
): DocsSection {
  const names = fieldsOfRequest(document, operation).map(({ name }) => name);
  return {
    id: operation.operationId,
    title: operation.summary,
    text: `${operation.description} ${method} ${path} ${operation.operationId} ${names.join(" ")}`,
  };
}

type RequestField = {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly description: string;
};

function fieldsOfRequest(document: OpenApiDocument, operation: Operation): RequestField[] {
  const parameters = operation.parameters
    .filter((parameter): parameter is Parameter => "name" in parameter)
    .map(({ name, in: place, required, description }) => ({ name, place, required, description }));
  const body = operation.requestBody?.content["application/json"]?.schema ?? {};
  const required = (body.required ?? []) as readonly string[];
  const properties = Object.entries((body.properties ?? {}) as Record<string, JsonSchema>);
  const ofBody = properties.map(([name, schema]) => ({
    name,
    place: "body",
    required: required.includes(name),
    description: descriptionOf(document.components.schemas, schema),
  }));
  return [...parameters, ...ofBody];
}

function endpointMarkdown(document: OpenApiDocument, endpoint: Endpoint): string {
  const { operation, method, path } = endpoint;
  const fields = fieldsOfRequest(document, operation).map(
    ({ name, place, required, description }) =>
      `- \`${name}\` (${place}${required ? ", required" : ""}): ${description}`,
  );
  return [
    `## ${operation.summary}`,
    `\`${method} ${path}\``,
    operation.description,
    ...(fields.length > 0 ? [fields.join("\n")] : []),
    fence("sh", snippetsOf(snippetRequest(document, endpoint)).curl),
  ].join("\n\n");
}

function webhooks(document: OpenApiDocument): DocsPage {
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

function endpointSection(document: OpenApiDocument, endpoint: Endpoint): string {
  const { operation, method, path } = endpoint;
  const schemas = document.components.schemas;
  const parameters = operation.parameters.filter(
    (parameter): parameter is Parameter => "name" in parameter,
  );
  const body = operation.requestBody?.content["application/json"]?.schema;
  const response = responseOf(operation);
  const { status } = response;
  const snippets = snippetsOf(snippetRequest(document, endpoint));
  return `<section class="pair" id="${escapeHtml(operation.operationId)}"><div>
<h2>${escapeHtml(operation.summary)}</h2>
<p class="path">${methodTag(method)}<code>${escapeHtml(path)}</code></p>
<p>${prose(operation.description)}</p>
${fieldList("Path", parameters.filter((parameter) => parameter.in === "path").map(parameterField))}
${fieldList("Query", parameters.filter((parameter) => parameter.in === "query").map(parameterField))}
${fieldList("Headers", parameters.filter((parameter) => parameter.in === "header").map(parameterField))}
${body ? fieldList("Body", fieldsOf(schemas, body)) : ""}
<p class="responses">Returns <b>${escapeHtml(status)}</b> with ${responseWords(response.schema)}. Requires <code>${operation["x-permission"]}</code>.</p>
${rejections(operation)}
</div><div class="aside">
${snippetTabs(operation.operationId.replaceAll(".", "-"), snippets)}
${codeBlock(`Response ${status}`, responseExample(schemas, response), response.mediaType === json ? "json" : "plaintext")}
</div></section>`;

  function parameterField(parameter: Parameter): string {
    const schema = { ...parameter.schema, description: parameter.description };
    return field(schemas, parameter.name, schema, parameter.required);
  }
}

/** Returns the example request of an operation. */
export function snippetRequest(document: OpenApiDocument, endpoint: Endpoint): SnippetRequest {
  const { method, path, operation } = endpoint;
  const { schemas } = document.components;
  const { mediaType } = responseOf(operation);
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const [bodyType] = Object.keys(operation.requestBody?.content ?? {});
  return {
    operationId: operation.operationId,
    method: method as SnippetRequest["method"],
    path: path.slice("/api/v1".length).replace("{id}", exampleId(prefixOf(operation))),
    ...(schema && { body: exampleBody(schemas, schema) }),
    ...(bodyType && bodyType !== json && { upload: bodyType }),
    responds: mediaType === json ? "json" : mediaType === "text/csv" ? "csv" : "events",
  };
}

/** Returns the prefix of the ID in the path of an operation. */
function prefixOf({ operationId }: Operation): IdPrefix {
  const resource = operationId.split(".").at(-2) ?? "";
  return prefixes[resource] ?? "ch";
}

const prefixes: Readonly<Record<string, IdPrefix>> = {
  balance_transactions: "txn",
  charges: "ch",
  checkout_sessions: "cs",
  customers: "cus",
  decisions: "dec",
  disputes: "dp",
  events: "evt",
  list_entries: "lst",
  payment_methods: "pm",
  payouts: "po",
  reconciliations: "rec",
  refunds: "re",
  request_logs: "req",
  rules: "rule",
  saved_views: "view",
  webhook_deliveries: "whd",
  webhook_endpoints: "we",
};

type DocumentedResponse = {
  readonly status: string;
  readonly mediaType: string;
  readonly schema: JsonSchema;
};

function responseOf(operation: Operation): DocumentedResponse {
  const [[status, response] = ["200", {}]] = Object.entries(operation.responses);
  const { content = {} } = response as { content?: Record<string, { schema: JsonSchema }> };
  const [[mediaType, { schema }] = [json, { schema: {} }]] = Object.entries(content);
  return { status, mediaType, schema };
}

const json = "application/json";

function responseExample(
  schemas: OpenApiDocument["components"]["schemas"],
  { mediaType, schema }: DocumentedResponse,
): string {
  const example = exampleOf(schemas, schema);
  return mediaType === json ? JSON.stringify(example, null, 2) : String(example);
}

function responseWords(schema: JsonSchema): string {
  if (typeof schema.$ref === "string") return objectLink(schema.$ref);
  const items = (schema.properties as Record<string, { items?: JsonSchema }> | undefined)?.data
    ?.items;
  if (typeof items?.$ref === "string")
    return `a <a href="/docs/api#lists">list</a> of ${objectLink(items.$ref)}`;
  return prose(
    String(schema.description ?? "the object")
      .replace(/\.$/, "")
      .replace(/^(An?|One) /, (word) => word.toLowerCase()),
  );
}

/** Renders the errors that are specific to this endpoint. All others are references to common responses. */
function rejections({ responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status, response]) => /^4\d\d$/.test(status) && !("$ref" in (response as object)))
    .map(([status, response]) => {
      const { description } = response as { description: string };
      return `<p class="responses">Returns <b>${status}</b>: ${prose(description)}</p>`;
    })
    .join("");
}

function objectLink(reference: string): string {
  const name = escapeHtml(reference.split("/").at(-1) ?? "");
  return `<a href="/docs/api/objects#object-${name}"><code>${name}</code></a>`;
}

function fieldList(heading: string, fields: readonly string[]): string {
  if (fields.length === 0) return "";
  return `<h3 class="label">${escapeHtml(heading)}</h3><ul class="fields">${fields.join("")}</ul>`;
}

function fieldsOf(schemas: OpenApiDocument["components"]["schemas"], schema: JsonSchema): string[] {
  const required = (schema.required ?? []) as readonly string[];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  // Required properties come first.
  const order = (name: string) => (required.includes(name) ? 0 : 1);
  return properties
    .toSorted(([left], [right]) => order(left) - order(right))
    .map(([name, property]) => field(schemas, name, property, required.includes(name)));
}

function field(
  schemas: OpenApiDocument["components"]["schemas"],
  name: string,
  schema: JsonSchema,
  required: boolean | null,
): string {
  const { inner, nullable } = withoutNull(schema);
  const resolved = resolve(schemas, inner);
  const description = descriptionOf(schemas, schema);
  const nestedIn =
    resolved.type === "array" ? resolve(schemas, (resolved.items ?? {}) as JsonSchema) : resolved;
  const nested = nestedIn.properties ? fieldsOf(schemas, nestedIn) : [];
  const marks = [
    `<span class="type">${escapeHtml(typeWords(resolved, nullable))}</span>`,
    required === true ? `<span class="required">required</span>` : "",
  ].join(" ");
  const values = choices(resolved, String(description));
  const more =
    nested.length > 0
      ? `<details><summary>${nested.length} fields of <code>${escapeHtml(name)}</code></summary><ul class="fields">${nested.join("")}</ul></details>`
      : "";
  return `<li><div class="name"><code>${escapeHtml(name)}</code> ${marks}</div><p>${prose(String(description))}</p>${values}${more}</li>`;
}

/** Returns the description of a schema, or that of the schema to which it refers. */
function descriptionOf(
  schemas: OpenApiDocument["components"]["schemas"],
  schema: JsonSchema,
): string {
  const { inner } = withoutNull(schema);
  const text = schema.description ?? inner.description ?? resolve(schemas, inner).description;
  return String(text ?? "");
}

/** Renders the enum's values, unless the description names them all. */
function choices(schema: JsonSchema, description: string): string {
  if (!Array.isArray(schema.enum) || schema.enum.length > 24) return "";
  if (schema.enum.every((value) => description.includes(`\`${value}\``))) return "";
  const values = schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`);
  return `<p class="choices">${values.join(" ")}</p>`;
}

function withoutNull(schema: JsonSchema): { inner: JsonSchema; nullable: boolean } {
  if (!Array.isArray(schema.anyOf)) return { inner: schema, nullable: false };
  const [inner, ...others] = (schema.anyOf as JsonSchema[]).filter(({ type }) => type !== "null");
  if (others.length > 0) return { inner: schema, nullable: false };
  return { inner: inner ?? {}, nullable: true };
}

function resolve(
  schemas: OpenApiDocument["components"]["schemas"],
  schema: JsonSchema,
): JsonSchema {
  if (typeof schema.$ref !== "string") return schema;
  return schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {};
}

/** Returns, for example, `integer · 1 to 10 · default 5` or `string or null`. */
function typeWords(schema: JsonSchema, nullable: boolean): string {
  const words = [`${typeName(schema)}${nullable ? " or null" : ""}`];
  if (schema.maximum !== undefined)
    words.push(`${grouped(schema.minimum)} to ${grouped(schema.maximum)}`);
  // Limits up to 255 are left out. They apply to ids and codes, whose length the caller cannot choose.
  if (Number(schema.maxLength) > 255) words.push(`to ${grouped(schema.maxLength)} characters`);
  if (schema.maxItems !== undefined) words.push(`to ${grouped(schema.maxItems)} entries`);
  if (schema.default !== undefined) words.push(`default ${grouped(schema.default)}`);
  return words.join(" · ");
}

function typeName(schema: JsonSchema): string {
  if (schema.type === "array") return "list";
  if (Array.isArray(schema.enum) || schema.type === "string") return "string";
  return String(schema.type ?? "any");
}

function grouped(value: unknown): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : String(value ?? 0);
}

function objects(document: OpenApiDocument): DocsPage {
  const schemas = document.components.schemas;
  const lead = "The objects in the responses of the API and in events.";
  const shown = Object.entries(schemas).map(([name, schema]) => ({
    name,
    schema,
    description: String(schema.description ?? ""),
  }));
  const sections = shown.map(
    ({ name, schema, description }) => `<section class="pair" id="object-${escapeHtml(name)}"><div>
<h2>${escapeHtml(name)}</h2><p>${prose(description)}</p>
${variants(schema)}<ul class="fields">${fieldsOf(schemas, { ...schema, required: [] }).join("")}</ul></div>
<div class="aside">${name === "Error" || schema.anyOf ? "" : codeBlock(name, JSON.stringify(exampleOf(schemas, schema), null, 2), "json")}</div></section>`,
  );
  return {
    path: "api/objects",
    title: "Objects",
    description: lead,
    layout: "wide",
    body: `<h1>Objects</h1><p class="lead">${lead}</p>${sections.join("\n")}`,
    sections: shown.map(({ name, schema, description }) => ({
      id: `object-${name}`,
      title: name,
      text: `${description} ${Object.keys((schema.properties ?? {}) as object).join(" ")}`,
    })),
    markdown: `# Objects\n\n${lead}\n\n${shown.map(({ name, schema, description }) => [`## ${name}`, description, fieldsMarkdown(schemas, schema)].filter(Boolean).join("\n\n")).join("\n\n")}`,
  };
}

function fieldsMarkdown(
  schemas: OpenApiDocument["components"]["schemas"],
  { properties = {} }: JsonSchema,
): string {
  return Object.entries(properties as Record<string, JsonSchema>)
    .map(([name, schema]) => `- \`${name}\`: ${descriptionOf(schemas, schema)}`)
    .join("\n");
}

/** Renders links to the schemas of a union, such as the events. */
function variants({ anyOf }: JsonSchema): string {
  if (!Array.isArray(anyOf)) return "";
  const links = (anyOf as JsonSchema[]).map(({ $ref }) => `<li>${objectLink(String($ref))}</li>`);
  return `<ul>${links.join("")}</ul>`;
}

function errors(document: OpenApiDocument): DocsPage {
  const codes = Object.entries<ErrorDescription>(document["x-error-codes"]);
  const lead = "Branch on `type` and `code`, never on the text of `message`.";
  const rows = codes.map(([code, { type, status, meaning, whatToDo }]) =>
    row(`error-${code}`, [
      `<a href="#error-${code}"><code>${code}</code></a><small>${type}</small>`,
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

function declines(document: OpenApiDocument): DocsPage {
  const codes = Object.entries<DeclineDescription>(document["x-decline-codes"]);
  const lead = "Reasons for declines, and when to retry.";
  const rows = codes.map(([code, decline]) =>
    row(`decline-${code}`, [
      `<a href="#decline-${code}"><code>${code}</code></a><small>${decline.networkCodes.map(escapeHtml).join(", ")}</small>`,
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

function cards(testCards: readonly ReferenceTestCard[]): DocsPage {
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
