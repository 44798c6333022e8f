import type { JsonSchema, Parameter } from "@florin/contract/openapi.ts";
import type { Reply, Sent } from "../../client.ts";
import type { Random } from "../seeded-random.ts";
import { type MutationKind, problematicStrings, type ValueGenerator } from "./generated-values.ts";

/** A generated request. */
export type FuzzedRequest = {
  readonly method: string;
  readonly path: string;
  readonly sent: Sent;
  /** The type of the request's credentials. They are replaced if the response shows that they are invalid. */
  readonly as?: Credential;
  readonly note?: (reply: Reply) => void;
};

export type Credential = "merchant" | "person" | "operator";

/** A route and the generator of its requests. */
export type Target = {
  /** The method and path of the route on the server. */
  readonly route: string;
  readonly group: Group;
  readonly fuzz: (random: Random) => FuzzedRequest | Promise<FuzzedRequest>;
};

export type Group =
  | "API"
  | "people"
  | "admin console"
  | "card form"
  | "3-D Secure"
  | "pages"
  | "simulated network";

export type QueryParameter = Pick<Parameter, "name" | "schema" | "required">;

/** Returns a query string with the required parameters and some optional ones. */
export function queryOf(
  parameters: readonly QueryParameter[],
  kind: MutationKind,
  random: Random,
  values: ValueGenerator,
): string {
  const pairs: [string, string][] = [];
  const optional = random.pick([0, 0.1, 0.25]);
  for (const { name, schema, required } of parameters) {
    if (!random.happens(required ? 0.95 : optional)) continue;
    const value = values.schemaValue(schema, kind);
    if (Array.isArray(value)) pairs.push([name, value.map(textOf).join(",")]);
    else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value))
        pairs.push([`${name}[${key}]`, textOf(item)]);
    } else pairs.push([name, textOf(value)]);
  }
  if (kind === "extra" && random.happens(0.3)) pairs.push([random.pick(problematicStrings), "1"]);
  if (pairs.length > 0 && random.happens(0.03)) pairs.push(pairs[0] as [string, string]);
  const text = pairs
    .map(([name, value]) => `${encode(name)}=${encode(value).slice(0, 6_000)}`)
    .join("&");
  return text && `?${text.slice(0, 12_000)}`;
}

export function parametersOf(schema: JsonSchema | null): QueryParameter[] {
  const properties = (schema?.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema?.required ?? []) as readonly string[];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: property,
    required: required.includes(name),
  }));
}

/** Returns a JSON body. Rarely, it is truncated, contains a duplicate name, or is not an object. */
export function bodyText(
  schema: JsonSchema,
  kind: MutationKind,
  random: Random,
  { schemaValue }: ValueGenerator,
): string {
  const whole = kind === "wrong type" && random.happens(0.1);
  const text = JSON.stringify(
    whole ? random.pick([[], "text", 7, null]) : schemaValue(schema, kind),
  );
  if (random.happens(0.01)) return text.slice(0, Math.floor(text.length / 2));
  if (random.happens(0.01)) return `{"a":1,"a":2,${text.slice(1)}`;
  return text;
}

/** Returns the body of an HTML form. Some of the fields are changed, missing or duplicated. */
export function formText(
  fields: Readonly<Record<string, string>>,
  kind: MutationKind,
  random: Random,
): string {
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (kind === "missing" && random.happens(0.5)) continue;
    const isMutated = kind !== "valid" && kind !== "boundary" && random.happens(0.5);
    pairs.push([name, isMutated ? mutateText(value, kind, random) : value]);
    if (kind === "extra") pairs.push([random.pick([name, ...problematicStrings]), value]);
  }
  const text = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  return kind === "boundary" && random.happens(0.3) ? `${text}&%E0%A4%A&=&&a` : text;
}

/** Changes a string. If it contains base64url-encoded JSON, sometimes changes the JSON and encodes it again. */
function mutateText(text: string, kind: MutationKind, random: Random): string {
  const message = decodeMessage(text);
  if (message && random.happens(0.6)) {
    const mutated = JSON.stringify(mutateMessage(message, kind, random));
    return Buffer.from(mutated).toString("base64url");
  }
  if (kind === "huge") return text.padEnd(40_000, "A");
  if (kind === "unicode") return random.pick(problematicStrings);
  const at = random.between(0, text.length);
  return text.slice(0, at) + random.pick(["", "=", "A", "%", "\u0000"]) + text.slice(at + 1);
}

/**
 * Decodes a base64url-encoded JSON object. Returns null for any other string, even if the decoded text starts with an
 * opening brace.
 */
function decodeMessage(text: string): Readonly<Record<string, unknown>> | null {
  const json = Buffer.from(text, "base64url").toString("utf8");
  if (!json.startsWith("{")) return null;
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Returns a copy of a message between servers with one or two changed fields. */
export function mutateMessage(
  message: Readonly<Record<string, unknown>>,
  kind: MutationKind,
  random: Random,
): object {
  const mutated: Record<string, unknown> = { ...message };
  if (kind === "valid") return mutated;
  for (let count = random.between(1, 2); count > 0; count--) {
    const name = random.pick(Object.keys(message));
    if (kind === "missing") delete mutated[name];
    else if (kind === "extra") mutated[random.pick(problematicStrings)] = message[name];
    else mutated[name] = mutateField(message[name], kind, random);
  }
  return mutated;
}

function mutateField(value: unknown, kind: MutationKind, random: Random): unknown {
  switch (kind) {
    case "null":
      return null;
    case "wrong type":
      return random.pick([7, true, [], {}, [value], { value }, ""]);
    case "huge":
      return "x".repeat(random.pick([257, 3_000, 30_000]));
    case "deep":
      return JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`);
    case "boundary":
      return random.pick(["", "0", String(value).slice(1), `${value}0`, String(value).repeat(3)]);
    default:
      return random.pick(problematicStrings);
  }
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%5B/g, "[").replace(/%5D/g, "]");
}

export function problematicPathPart(random: Random): string {
  return encodeURIComponent(random.pick(problematicStrings).toWellFormed());
}

/** Returns an IP address in a random network, because some limits count requests per network. */
export function newNetwork(random: Random): string {
  const group = () => random.between(1, 65_535).toString(16);
  return `2001:db8:${group()}:${group()}::1`;
}

/** Returns an idempotency key, often from a small set, so that some keys are reused with another body. */
export function keyOf(random: Random): string {
  return random.happens(0.5) ? `key ${random.between(1, 40)}` : `unique ${random.next()}`;
}
