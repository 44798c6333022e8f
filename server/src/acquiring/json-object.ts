/** A JSON object whose fields are not validated yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses a JSON object. Returns null if the text is not JSON or is another JSON value. */
export function parseJsonObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the nested object, or an empty one. */
export function objectOf(fields: JsonObject, name: string): JsonObject {
  const value = fields[name];
  return isJsonObject(value) ? value : {};
}

/** Returns the text of a field. Returns null for an absent, empty or overlong value. */
export function textOf(fields: JsonObject, name: string): string | null {
  const value = fields[name];
  return typeof value === "string" && value !== "" && value.length <= 500 ? value : null;
}

export function numberOf(fields: JsonObject, name: string): number | null {
  const value = fields[name];
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}
