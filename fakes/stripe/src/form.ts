/** The parameters of a request. Stripe's API encodes nested objects and arrays in brackets: `card[number]=42`. */
export type Params = { readonly [name: string]: string | Params };

/** Parses a form-encoded body or query. An array becomes an object whose names are the indexes. */
export function parseForm(text: string): Params {
  const root: Record<string, unknown> = {};
  for (const [path, value] of new URLSearchParams(text)) {
    const names = path.split(/[[\]]+/).filter((name, index) => index === 0 || name !== "");
    // `expand[]` appends to the array.
    if (path.endsWith("[]")) names.push(String(countOf(root, names)));
    let target = root;
    for (const name of names.slice(0, -1)) {
      target[name] = typeof target[name] === "object" ? target[name] : {};
      target = target[name] as Record<string, unknown>;
    }
    target[names.at(-1) as string] = value;
  }
  return root as Params;
}

function countOf(root: Record<string, unknown>, names: readonly string[]): number {
  let value: unknown = root;
  for (const name of names) value = (value as Record<string, unknown> | undefined)?.[name];
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

/** Returns the parameter, or null if it is absent, empty or an object. */
export function textOf(params: Params | null, name: string): string | null {
  const value = params?.[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns the parameter with its nested parameters, or null. */
export function objectOf(params: Params | null, name: string): Params | null {
  const value = params?.[name];
  return typeof value === "object" ? value : null;
}

/** Returns the texts of an array or object. */
export function textsOf(params: Params | null): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params ?? {}).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
}
