import type { DeclineDescription } from "@florin/contract/declines.ts";
import type { ErrorDescription } from "@florin/contract/errors.ts";
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
} from "@florin/contract/openapi.ts";
import { escapeHtml } from "./escape-html.ts";
import { exampleBody, exampleOf } from "./reference-example.ts";
import { codeBlock, prose, row, table } from "./reference-markup.ts";
import { referenceStyle } from "./reference-style.ts";

/** A placeholder in the rendered page for the URL of the service. */
export const basePlaceholder = "{base_url}";

/** A card of the simulator, with the fields that the page shows. */
export type ReferenceTestCard = {
  readonly number: string;
  readonly group: string;
  readonly description: string;
};

/**
 * Renders the reference as one page of plain HTML, without scripts and external requests. On a phone, the navigation is
 * shown while the URL's fragment refers to it. A link in the navigation changes the fragment, which hides the navigation.
 */
export function apiReferencePage(
  document: OpenApiDocument,
  testCards: readonly ReferenceTestCard[],
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(document.info.title)} reference</title>
<style>${referenceStyle}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the reference</a>
<nav class="side" id="menu" aria-label="Reference">${brand(document)}<a class="menu-word" href="#main">To the top</a>${navigationOf(document, testCards.length > 0)}</nav>
<header class="bar">${brand(document)}<a class="menu-word" href="#menu">Menu</a></header>
<main id="main">
${introduction(document)}
${document.tags.map(({ name }) => noun(document, name)).join("\n")}
${objects(document)}
${errors(document)}
${declines(document)}
${testCards.length > 0 ? cards(testCards) : ""}
</main>
</body>
</html>
`;
}

function brand(document: OpenApiDocument): string {
  return `<span class="brand"><span class="logo" aria-hidden="true">ƒ</span>Florin <small>API ${escapeHtml(document.info.version)}</small></span>`;
}

type Endpoint = { readonly method: string; readonly path: string; readonly operation: Operation };

function endpointsOf(document: OpenApiDocument, tag: string): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function navigationOf(document: OpenApiDocument, withCards: boolean): string {
  const link = (href: string, words: string) => `<li><a href="#${href}">${words}</a></li>`;
  const group = (title: string, links: readonly string[]) =>
    `<p>${escapeHtml(title)}</p><ul>${links.join("")}</ul>`;
  const nouns = document.tags.map(({ name }) =>
    group(
      title(name),
      name === "webhooks"
        ? [link("webhooks", "Event types")]
        : endpointsOf(document, name).map(({ method, operation }) =>
            link(
              operation.operationId,
              `${methodTag(method)}<span>${escapeHtml(operation.summary)}</span>`,
            ),
          ),
    ),
  );
  return [
    group("Start", [
      link("authentication", "Authentication"),
      link("requests", "Request bodies"),
      link("idempotency", "Idempotency"),
      link("lists", "Lists"),
    ]),
    ...nouns,
    group("Tables", [
      link("objects", "Objects"),
      link("errors", "Error codes"),
      link("declines", "Decline codes"),
      ...(withCards ? [link("test-cards", "Test cards")] : []),
      `<li><a href="/openapi.json">OpenAPI document</a></li>`,
    ]),
  ].join("");
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

function introduction(document: OpenApiDocument): string {
  const section = (id: string, heading: string, text: string, code: string) =>
    `<section class="pair" id="${id}"><div><h2>${heading}</h2>${text}</div><div class="aside">${code}</div></section>`;
  return [
    `<header><h1>${escapeHtml(document.info.title)}</h1><p class="lead">${prose(String(document.info.description ?? ""))}</p></header>`,
    section(
      "authentication",
      "Authentication",
      `<p>Send your secret key with every request. Keys that begin with <code>sk_test_</code> never move money. Keys that begin with <code>sk_live_</code> do. Store both on your server only.</p>`,
      codeBlock(
        "With your key",
        `curl ${basePlaceholder}/api/v1/account \\\n  -H "Authorization: Bearer sk_test_…"`,
      ),
    ),
    section(
      "requests",
      "Request bodies",
      `<p>Bodies are JSON objects in UTF-8, uncompressed, of at most 64 KiB, 16 levels and 5,000 members and elements. Unknown parameters are rejected, including in the query of a POST. Paths have no slash at the end.</p><p>In an optional parameter, <code>null</code> means the same as no parameter, in create and update requests and for the <code>Idempotency-Key</code>. If an update can remove a stored value, such as a description or a pair of the metadata, <code>null</code> removes it.</p>`,
      codeBlock(
        "With a null parameter",
        `curl ${basePlaceholder}/api/v1/customers \\\n  -H "Authorization: Bearer sk_test_…" \\\n  -H "Content-Type: application/json" \\\n  -d '{"email": "ada@example.com", "name": null}'`,
      ),
    ),
    section(
      "idempotency",
      "Idempotency",
      `<p>Every POST accepts an <code>Idempotency-Key</code> of your choice. For 24 hours, the same key with the same body returns the first response, marked <code>Idempotent-Replayed: true</code>, and nothing is executed twice. The same key with another body is rejected with <a href="#error-idempotency_key_in_use"><code>idempotency_key_in_use</code></a>. After a timeout or a 5xx, send the same request with the same key.</p>`,
      codeBlock(
        "With an idempotency key",
        `curl ${basePlaceholder}/api/v1/charges \\\n  -H "Authorization: Bearer sk_test_…" \\\n  -H "Idempotency-Key: order-1042" \\\n  -H "Content-Type: application/json" \\\n  -d '{\n    "amount": 1999,\n    "currency": "usd",\n    "payment_method_id": "pm_card_visa"\n  }'`,
      ),
    ),
    section(
      "lists",
      "Lists",
      `<p>Lists are newest first. Request up to 100 objects with <code>limit</code>, continue with <code>starting_after</code> and the ID of the last object, and filter by time of creation with <code>created[gte]</code>, <code>created[gt]</code>, <code>created[lte]</code> and <code>created[lt]</code>.</p>`,
      codeBlock(
        "One page",
        `{\n  "object": "list",\n  "url": "/api/v1/charges",\n  "has_more": true,\n  "data": [ … ]\n}`,
      ),
    ),
  ].join("\n");
}

function noun(document: OpenApiDocument, tag: string): string {
  if (tag === "webhooks") return webhooks(document);
  return `<h2 class="noun">${escapeHtml(title(tag))}</h2>${endpointsOf(document, tag)
    .map((endpoint) => endpointSection(document, endpoint))
    .join("\n")}`;
}

function webhooks(document: OpenApiDocument): string {
  const rows = Object.entries(document.webhooks).map(([type, { post }]) => {
    const schema = post.requestBody?.content["application/json"].schema;
    return row(`event-${type}`, [
      `<code>${escapeHtml(type)}</code>`,
      objectLink(String(schema?.$ref)),
      prose(post.description),
    ]);
  });
  return `<h2 class="noun" id="webhooks">Webhooks</h2><p class="lead">Florin sends each event as a POST to your webhook endpoints, with the header <code>Service-Signature</code>.</p>${table(["Type", "Event", "Meaning"], rows)}`;
}

function endpointSection(document: OpenApiDocument, endpoint: Endpoint): string {
  const { operation, method, path } = endpoint;
  const schemas = document.components.schemas;
  const parameters = operation.parameters.filter(
    (parameter): parameter is Parameter => "name" in parameter,
  );
  const body = operation.requestBody?.content["application/json"].schema;
  const response = responseOf(operation);
  const { status } = response;
  return `<section class="pair" id="${escapeHtml(operation.operationId)}"><div>
<h3>${escapeHtml(operation.summary)}</h3>
<p class="path">${methodTag(method)}<code>${escapeHtml(path)}</code></p>
${fieldList("Path", parameters.filter((parameter) => parameter.in === "path").map(parameterField))}
${fieldList("Query", parameters.filter((parameter) => parameter.in === "query").map(parameterField))}
${fieldList("Headers", parameters.filter((parameter) => parameter.in === "header").map(parameterField))}
${body ? fieldList("Body", fieldsOf(schemas, body)) : ""}
<p class="responses">Returns <b>${escapeHtml(status)}</b> with ${responseWords(response.schema)}. Requires <code>${operation["x-permission"]}</code>.</p>
${rejections(operation)}
</div><div class="aside">
${codeBlock("Request", curl(schemas, endpoint, body, response))}
${codeBlock(`Response ${status}`, responseExample(schemas, response))}
</div></section>`;

  function parameterField(parameter: Parameter): string {
    const schema = { ...parameter.schema, description: parameter.description };
    return field(schemas, parameter.name, schema, parameter.required);
  }
}

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
    return `a <a href="#lists">list</a> of ${objectLink(items.$ref)}`;
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
  return `<a href="#object-${name}"><code>${name}</code></a>`;
}

function curl(
  schemas: OpenApiDocument["components"]["schemas"],
  { method, path }: Endpoint,
  body: JsonSchema | undefined,
  response: DocumentedResponse,
): string {
  const address = `${basePlaceholder}${path.replaceAll(/\{(\w+)\}/g, (_, name) => `$${name.toUpperCase()}`)}`;
  // `-N` disables curl's output buffer. Events of the stream would otherwise not be printed immediately.
  const noBuffer = response.mediaType === "text/event-stream" ? "-N " : "";
  const lines = [
    `curl ${noBuffer}${method === "DELETE" ? "-X DELETE " : ""}${address}`,
    `-H "Authorization: Bearer $FLORIN_SECRET_KEY"`,
  ];
  if (method === "POST") lines.push(`-H "Idempotency-Key: $(uuidgen)"`);
  if (body) {
    lines.push(`-H "Content-Type: application/json"`);
    lines.push(
      `-d '${JSON.stringify(exampleBody(schemas, body), null, 2).replaceAll("\n", "\n  ")}'`,
    );
  } else if (method === "POST") {
    lines.push("-X POST");
  }
  return lines.join(" \\\n  ");
}

function fieldList(heading: string, fields: readonly string[]): string {
  if (fields.length === 0) return "";
  return `<h4>${escapeHtml(heading)}</h4><ul class="fields">${fields.join("")}</ul>`;
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
  const description = schema.description ?? inner.description ?? resolved.description ?? "";
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

function objects(document: OpenApiDocument): string {
  const schemas = document.components.schemas;
  const sections = Object.entries(schemas).map(
    ([name, schema]) => `<section class="pair" id="object-${escapeHtml(name)}"><div>
<h3>${escapeHtml(name)}</h3><p>${prose(String(schema.description ?? ""))}</p>
<ul class="fields">${fieldsOf(schemas, { ...schema, required: [] }).join("")}</ul></div>
<div class="aside">${name === "Error" ? "" : codeBlock(name, JSON.stringify(exampleOf(schemas, schema), null, 2))}</div></section>`,
  );
  return `<h2 class="noun" id="objects">Objects</h2>${sections.join("\n")}`;
}

function errors(document: OpenApiDocument): string {
  const rows = Object.entries<ErrorDescription>(document["x-error-codes"]).map(
    ([code, { type, status, meaning, whatToDo }]) =>
      row(`error-${code}`, [
        `<a href="#error-${code}"><code>${code}</code></a><small>${type}</small>`,
        `<span class="status s${Math.floor(status / 100)}">${status}</span>`,
        prose(meaning),
        prose(whatToDo),
      ]),
  );
  return `<h2 class="noun" id="errors">Error codes</h2><p class="lead">Branch on <code>type</code> and <code>code</code>, never on the text of <code>message</code>.</p>${table(["Code", "Status", "Meaning", "Next step"], rows)}`;
}

function declines(document: OpenApiDocument): string {
  const rows = Object.entries<DeclineDescription>(document["x-decline-codes"]).map(
    ([code, decline]) =>
      row(`decline-${code}`, [
        `<a href="#decline-${code}"><code>${code}</code></a><small>${decline.networkCodes.map(escapeHtml).join(", ")}</small>`,
        `<span class="retry ${decline.retry}">${decline.retry}</span>`,
        prose(decline.meaning),
        prose(decline.nextStep),
        prose(decline.customerMessage),
      ]),
  );
  return `<h2 class="noun" id="declines">Decline codes</h2><p class="lead">Reasons for declines, and when to retry.</p>${table(["Code", "Retry", "Meaning", "Next step", "Message to the customer"], rows)}`;
}

function cards(testCards: readonly ReferenceTestCard[]): string {
  const rows = testCards.map(({ number, group, description }) =>
    row(null, [
      `<code class="number">${escapeHtml(number.replace(/(\d{4})(?=\d)/g, "$1 "))}</code>`,
      prose(description),
      escapeHtml(group.replaceAll("_", " ")),
    ]),
  );
  return `<h2 class="noun" id="test-cards">Test cards</h2><p class="lead">Use any future expiry date and any security code of 3 digits (4 for American Express). Test mode accepts only these cards, and live mode rejects them.</p>${table(["Number", "Behavior", "Kind"], rows)}`;
}
