import type { JsonSchema, OpenApiDocument } from "@florin/contract/openapi.ts";
import { escapeHtml } from "../../platform/http/escape-html.ts";
import { prose } from "./docs-markup.ts";

export function fieldsOf(
  schemas: OpenApiDocument["components"]["schemas"],
  schema: JsonSchema,
): string[] {
  const required = (schema.required ?? []) as readonly string[];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  // Required properties come first.
  const order = (name: string) => (required.includes(name) ? 0 : 1);
  return properties
    .toSorted(([left], [right]) => order(left) - order(right))
    .map(([name, property]) => field(schemas, name, property, required.includes(name)));
}

export function field(
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

/** Returns the description of a schema. For a reference, returns the description of the referenced schema. */
export function descriptionOf(
  schemas: OpenApiDocument["components"]["schemas"],
  schema: JsonSchema,
): string {
  const { inner } = withoutNull(schema);
  const text = schema.description ?? inner.description ?? resolve(schemas, inner).description;
  return String(text ?? "");
}

/** Returns the type of a field with its limits. */
export function typeOf(
  schemas: OpenApiDocument["components"]["schemas"],
  schema: JsonSchema,
): string {
  const { inner, nullable } = withoutNull(schema);
  return typeWords(resolve(schemas, inner), nullable);
}

/** Renders the enum's values, unless the description names all values. */
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

/** Returns a summary of the type and its limits, for example `integer · 1 to 10 · default 5` or `string or null`. */
function typeWords(schema: JsonSchema, nullable: boolean): string {
  const words = [`${typeName(schema)}${nullable ? " or null" : ""}`];
  if (schema.maximum !== undefined)
    words.push(`${grouped(schema.minimum)} to ${grouped(schema.maximum)}`);
  // Limits up to 255 are left out. They apply to ids and codes, whose length the caller cannot choose.
  if (Number(schema.maxLength) > 255) words.push(`up to ${grouped(schema.maxLength)} characters`);
  if (schema.maxItems !== undefined) words.push(`up to ${grouped(schema.maxItems)} entries`);
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

export function objectLink(reference: string): string {
  const name = escapeHtml(reference.split("/").at(-1) ?? "");
  return `<a href="/docs/api/objects#object-${name}"><code>${name}</code></a>`;
}
