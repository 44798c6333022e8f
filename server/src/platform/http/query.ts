import { shownName } from "@florin/contract/parameter-path.ts";
import type { FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { ApiError } from "../../core/api-error.ts";

/**
 * Converts the strings of a query to the types of its schema. `created[gte]=1` becomes `{created: {gte: 1}}`. Numbers
 * and booleans are parsed, and `a,b` becomes a list where the schema has one. A plain number for a parameter with
 * bounds sets both bounds: `created=5` becomes `{created: {gte: 5, lte: 5}}`. A value of another type is left
 * unchanged, so that the validation rejects it.
 */
export function readQuery(raw: Readonly<Record<string, unknown>>, schema: TSchema): object {
  const query: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(raw)) {
    rejectNulBytes(name, value);
    const [, outer, inner] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) {
      assertOneForm(query[name], name);
      query[name] = readValue(value, propertyOf(schema, name));
      continue;
    }
    if (Object.hasOwn(raw, outer)) assertOneForm(raw[outer], outer);
    const group = query[outer];
    const members: Record<string, unknown> =
      typeof group === "object" && group !== null
        ? (group as Record<string, unknown>)
        : Object.create(null);
    members[inner] = readValue(value, propertyOf(propertyOf(schema, outer), inner));
    query[outer] = members;
  }
  return query;
}

/** Rejects query parameters of a POST, because a card number in them would be written to access logs. */
export function rejectQueryOfPost({ method, query }: FastifyRequest): void {
  if (method !== "POST") return;
  const [name] = Object.keys(query as object);
  if (name === undefined) return;
  throw new ApiError(
    "parameter_unknown",
    "The endpoint does not accept query parameters. Remove them, and send parameters in the body.",
    { param: name },
  );
}

/** Rejects a parameter that is sent both as one value and with bounds. */
function assertOneForm(other: unknown, name: string): void {
  if (other === undefined) return;
  throw new ApiError(
    "parameters_exclusive",
    `Send either \`${name}\` or its bounds, such as \`${name}[gte]\`. Got both.`,
    { param: name },
  );
}

/**
 * Rejects NUL characters, which are also rejected in a body. Postgres cannot store them, so no stored value could
 * match.
 */
function rejectNulBytes(name: string, value: unknown): void {
  if (![name, value].flat().some((text) => typeof text === "string" && text.includes("\0"))) return;
  throw new ApiError(
    "invalid_characters",
    `\`${shownName(name)}\` contains a NUL character (%00). Remove the character.`,
    { param: shownName(name) },
  );
}

type Described = { properties?: Record<string, Described>; type?: unknown } | undefined;

function propertyOf(schema: unknown, name: string): Described {
  const { properties } = (schema ?? {}) as NonNullable<Described>;
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function readValue(value: unknown, schema: Described): unknown {
  if (typeof value !== "string") return value;
  switch (schema?.type) {
    case "integer":
      return /^-?[0-9]{1,15}$/.test(value) ? Number(value) : value;
    case "boolean":
      return value === "true" ? true : value === "false" ? false : value;
    case "object": {
      const { gte, lte } = schema.properties ?? {};
      const exact = gte && lte && readValue(value, gte);
      return typeof exact === "number" ? { gte: exact, lte: exact } : value;
    }
    case "array":
      return value.split(",");
    default:
      return value;
  }
}
