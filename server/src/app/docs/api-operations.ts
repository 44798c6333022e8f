import { exampleId, type IdPrefix } from "@florin/contract/ids.ts";
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
} from "@florin/contract/openapi.ts";
import { escapeHtml } from "../../platform/http/escape-html.ts";
import { exampleBody, exampleOf } from "../../platform/http/reference-example.ts";
import { descriptionOf, field, fieldsOf, objectLink, typeOf } from "./api-schemas.ts";
import { codeBlock, fence, prose, snippetTabs } from "./docs-markup.ts";
import type { DocsPage, DocsSection } from "./docs-page.ts";
import { type SnippetRequest, snippetsOf } from "./snippets.ts";

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

export function resourcePage(
  document: OpenApiDocument,
  tag: string,
  description: string,
): DocsPage {
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

function methodTag(method: string): string {
  const shown = method === "DELETE" ? "DEL" : method;
  return `<b class="method ${method.toLowerCase()}">${shown}</b>`;
}

/** Converts `checkout_sessions` to "Checkout sessions". */
function title(tag: string): string {
  const words = tag.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the text by which the search finds an operation, including the names of the operation's parameters. */
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
  readonly schema: JsonSchema;
};

function fieldsOfRequest(document: OpenApiDocument, operation: Operation): RequestField[] {
  const parameters = operation.parameters
    .filter((parameter): parameter is Parameter => "name" in parameter)
    .map(({ name, in: place, required, description, schema }) => ({
      name,
      place,
      required,
      description,
      schema: { ...schema, description },
    }));
  const body = operation.requestBody?.content["application/json"]?.schema ?? {};
  const required = (body.required ?? []) as readonly string[];
  const properties = Object.entries((body.properties ?? {}) as Record<string, JsonSchema>);
  const ofBody = properties.map(([name, schema]) => ({
    name,
    place: "body",
    required: required.includes(name),
    description: descriptionOf(document.components.schemas, schema),
    schema,
  }));
  return [...parameters, ...ofBody];
}

function endpointMarkdown(document: OpenApiDocument, endpoint: Endpoint): string {
  const { operation, method, path } = endpoint;
  const { schemas } = document.components;
  const fields = fieldsOfRequest(document, operation).map((one) => {
    const type = typeOf(schemas, one.schema);
    const marks = [one.place, type, ...(one.required ? ["required"] : [])].join(", ");
    return `- \`${one.name}\` (${marks}): ${one.description}`;
  });
  const response = responseOf(operation);
  return [
    `## ${operation.summary}`,
    `\`${method} ${path}\``,
    operation.description,
    ...(fields.length > 0 ? [fields.join("\n")] : []),
    `Returns ${response.status} with ${responseWords(response.schema, inMarkdown)}. Requires \`${operation["x-permission"]}\`.`,
    ...rejections(operation).map(({ status, description }) => `Returns ${status}: ${description}`),
    fence("sh", snippetsOf(snippetRequest(document, endpoint)).curl),
    fence(
      response.mediaType === json ? "json" : "text",
      responseExample(schemas, operation.operationId, response),
    ),
  ].join("\n\n");
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
<p class="responses">Returns <b>${escapeHtml(status)}</b> with ${responseWords(response.schema, inHtml)}. Requires <code>${operation["x-permission"]}</code>.</p>
${rejections(operation)
  .map(
    ({ status, description }) =>
      `<p class="responses">Returns <b>${status}</b>: ${prose(description)}</p>`,
  )
  .join("")}
</div><div class="aside">
${snippetTabs(operation.operationId.replaceAll(".", "-"), snippets)}
${codeBlock(`Response ${status}`, responseExample(schemas, operation.operationId, response), response.mediaType === json ? "json" : "plaintext")}
</div></section>`;

  function parameterField(parameter: Parameter): string {
    const schema = { ...parameter.schema, description: parameter.description };
    return field(schemas, parameter.name, schema, parameter.required);
  }
}

function fieldList(heading: string, fields: readonly string[]): string {
  if (fields.length === 0) return "";
  return `<h3 class="label">${escapeHtml(heading)}</h3><ul class="fields">${fields.join("")}</ul>`;
}

/** Returns the example request of an operation. */
export function snippetRequest(document: OpenApiDocument, endpoint: Endpoint): SnippetRequest {
  const { method, path, operation } = endpoint;
  const { schemas } = document.components;
  const { mediaType } = responseOf(operation);
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const [bodyType] = Object.keys(operation.requestBody?.content ?? {});
  const query = operation.parameters
    .filter((parameter): parameter is Parameter => "name" in parameter)
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name, schema: values }) => [name, String(exampleOf(schemas, values))] as const);
  return {
    operationId: operation.operationId,
    method: method as SnippetRequest["method"],
    path: path.slice("/api/v1".length).replace("{id}", exampleId(prefixOf(operation))),
    ...(query.length > 0 && { query: Object.fromEntries(query) }),
    ...(schema && { body: exampleBody(schemas, schema) }),
    ...(bodyType && bodyType !== json && { upload: bodyType }),
    responds: respondsByMediaType[mediaType] ?? "file",
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
  dispute_files: "file",
  disputes: "dp",
  events: "evt",
  list_entries: "lst",
  payment_methods: "pm",
  payouts: "po",
  receipts: "rcpt",
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

const respondsByMediaType: Readonly<Record<string, SnippetRequest["responds"]>> = {
  [json]: "json",
  "text/csv": "csv",
  "text/event-stream": "events",
};

function responseExample(
  schemas: OpenApiDocument["components"]["schemas"],
  operationId: string,
  { mediaType, schema }: DocumentedResponse,
): string {
  const example = exampleOf(schemas, schema);
  if (mediaType !== json) return String(example);
  const result = outcomes[operationId];
  return JSON.stringify(result ? { ...(example as object), ...result } : example, null, 2);
}

/** The fields whose values in an operation's example response differ from those in the example of its object. */
const outcomes: Readonly<Record<string, object>> = {
  "charges.capture": { capture_method: "manual" },
  "charges.cancel": { capture_method: "manual", status: "canceled", amount_captured: 0 },
  "checkout_sessions.expire": { status: "expired", embed_url: null },
  "decisions.approve": { outcome: "review", review: "approved" },
  "decisions.decline": { outcome: "review", review: "declined" },
  "disputes.submit_evidence": { status: "under_review" },
  "disputes.accept": { status: "lost" },
  "webhook_deliveries.resend": { status: "pending" },
  "test_helpers.refunds.fail": { status: "failed" },
  "test_helpers.disputes.close": { status: "won" },
  "test_helpers.payouts.fail": { status: "failed", failure_code: "account_closed" },
};

/** The functions that write descriptions and links in one output format, HTML or Markdown. */
type Format = {
  readonly prose: (text: string) => string;
  readonly object: (reference: string) => string;
  readonly list: string;
};

const inHtml: Format = {
  prose,
  object: objectLink,
  list: `<a href="/docs/api#lists">list</a>`,
};

const inMarkdown: Format = {
  prose: (text) => text,
  object(reference) {
    const name = reference.split("/").at(-1) ?? "";
    return `[\`${name}\`](/docs/api/objects.md#object-${name})`;
  },
  list: "[list](/docs/api.md#lists)",
};

function responseWords(schema: JsonSchema, format: Format): string {
  if (typeof schema.$ref === "string") return format.object(schema.$ref);
  const items = (schema.properties as Record<string, { items?: JsonSchema }> | undefined)?.data
    ?.items;
  if (typeof items?.$ref === "string") return `a ${format.list} of ${format.object(items.$ref)}`;
  return format.prose(
    String(schema.description ?? "the object")
      .replace(/\.$/, "")
      .replace(/^(An?|One) /, (word) => word.toLowerCase()),
  );
}

/** Returns the errors that are specific to this endpoint. All other errors are references to common responses. */
function rejections({ responses }: Operation): { status: string; description: string }[] {
  return Object.entries(responses)
    .filter(([status, response]) => /^4\d\d$/.test(status) && !("$ref" in (response as object)))
    .map(([status, response]) => ({
      status,
      description: (response as { description: string }).description,
    }));
}
