/**
 * Parses a JSON object that has exactly these members. Returns null for any other text. The values are not checked.
 */
export function readJsonObject<Name extends string>(
  text: string,
  names: readonly Name[],
): Readonly<Record<Name, unknown>> | null {
  const value = parse(text);
  return isObjectWith(value, names) ? value : null;
}

/** Returns whether a value is an object that has exactly these members. */
export function isObjectWith<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Readonly<Record<Name, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return (
    Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name))
  );
}

/** Parses JSON. Returns null for invalid JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the value if it is an object, or else an empty object. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns whether the value is a text of 1 to 1,000 characters. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 1_000;
}
