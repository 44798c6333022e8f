import type { TSchema } from "typebox";

/**
 * Turns the flat texts of a query string into the shape its schema describes: `created[gte]=1` becomes
 * `{created: {gte: 1}}`, and what should be an integer is read as one. What does not fit is left as it is, for
 * the check to name.
 */
export function readQuery(raw: Readonly<Record<string, unknown>>, schema: TSchema): object {
  const query: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(raw)) {
    const [, outer, inner] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) {
      query[name] = readValue(value, propertyOf(schema, name));
      continue;
    }
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

type Described = { properties?: Record<string, Described>; type?: unknown } | undefined;

function propertyOf(schema: unknown, name: string): Described {
  const { properties } = (schema ?? {}) as NonNullable<Described>;
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function readValue(value: unknown, schema: Described): unknown {
  const readable = schema?.type === "integer" && typeof value === "string";
  return readable && /^-?[0-9]{1,15}$/.test(value) ? Number(value) : value;
}
