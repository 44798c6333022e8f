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
