export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isOneOf<Value extends string>(
  values: readonly Value[],
  value: unknown,
): value is Value {
  return (values as readonly unknown[]).includes(value);
}
