export type Fields = Readonly<Record<string, unknown>>;

/** Returns the text, or null if the field is absent, empty or not a text. */
export function textOf(fields: Fields | null, name: string): string | null {
  const value = fields?.[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns the integer, or null if the field is absent or not an integer. */
export function integerOf(fields: Fields | null, name: string): number | null {
  const value = fields?.[name];
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}

/** Returns the object, or null. */
export function objectOf(fields: Fields | null, name: string): Fields | null {
  const value = fields?.[name];
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : null;
}

/** Returns the texts of an object. */
export function textsOf(fields: Fields | null): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields ?? {}).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
}
