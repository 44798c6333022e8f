import type { JsonSchema, OpenApiDocument } from "@florin/contract/openapi.ts";
import { escapeHtml } from "../../platform/http/escape-html.ts";
import { exampleOf } from "../../platform/http/reference-example.ts";
import { descriptionOf, fieldsOf, objectLink } from "./api-schemas.ts";
import { codeBlock, prose } from "./docs-markup.ts";
import type { DocsPage } from "./docs-page.ts";

export function objects(document: OpenApiDocument): DocsPage {
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
