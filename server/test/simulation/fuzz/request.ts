import type { JsonSchema, Parameter } from "@florin/contract/openapi.ts";
import type { Reply, Sent } from "../../client.ts";
import type { Random } from "../seeded-random.ts";
import { awkward, type Bend, type Values } from "./values.ts";

/** A generated request. */
export type Fuzzed = {
  readonly method: string;
  readonly path: string;
  readonly sent: Sent;
  /** The credentials that it carries. They are replaced when the response says that they are used up. */
  readonly as?: Credential;
  readonly note?: (reply: Reply) => void;
};

export type Credential = "merchant" | "person" | "operator";

/** A route, and how requests for it are generated. */
export type Target = {
  /** Method and path of the route in the server's table. */
  readonly route: string;
  readonly group: Group;
  readonly fuzz: (random: Random) => Fuzzed | Promise<Fuzzed>;
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

/** Returns a query with its required parameters and few of the others. */
export function queryOf(
  parameters: readonly QueryParameter[],
  mutate: Bend,
  random: Random,
  values: Values,
): string {
  const pairs: [string, string][] = [];
  const optional = random.pick([0, 0.1, 0.25]);
  for (const { name, schema, required } of parameters) {
    if (!random.happens(required ? 0.95 : optional)) continue;
    const value = values.schemaValue(schema, mutate);
    if (Array.isArray(value)) pairs.push([name, value.map(textOf).join(",")]);
    else if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value)) pairs.push([`${name}[${key}]`, textOf(one)]);
    } else pairs.push([name, textOf(value)]);
  }
  if (mutate === "extra" && random.happens(0.3)) pairs.push([random.pick(awkward), "1"]);
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

/** Returns a JSON body. In rare cases it is cut off, has a name twice, or is no object. */
export function bodyText(
  schema: JsonSchema,
  mutate: Bend,
  random: Random,
  { schemaValue }: Values,
): string {
  const whole = mutate === "wrong type" && random.happens(0.1);
  const text = JSON.stringify(
    whole ? random.pick([[], "text", 7, null]) : schemaValue(schema, mutate),
  );
  if (random.happens(0.01)) return text.slice(0, Math.floor(text.length / 2));
  if (random.happens(0.01)) return `{"a":1,"a":2,${text.slice(1)}`;
  return text;
}

/** Returns an HTML form's body: these fields, of which some are changed, missing or there twice. */
export function formText(
  fields: Readonly<Record<string, string>>,
  mutate: Bend,
  random: Random,
): string {
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (mutate === "missing" && random.happens(0.5)) continue;
    const isBent = mutate !== "valid" && mutate !== "boundary" && random.happens(0.5);
    pairs.push([name, isBent ? bentText(value, mutate, random) : value]);
    if (mutate === "extra") pairs.push([random.pick([name, ...awkward]), value]);
  }
  const text = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  return mutate === "boundary" && random.happens(0.3) ? `${text}&%E0%A4%A&=&&a` : text;
}

/** Changes a text. One that is JSON in base64url is decoded, changed and encoded again. */
function bentText(text: string, mutate: Bend, random: Random): string {
  const message = messageIn(text);
  if (message && random.happens(0.6)) {
    const mutated = JSON.stringify(bentMessage(message, mutate, random));
    return Buffer.from(mutated).toString("base64url");
  }
  if (mutate === "huge") return text.padEnd(40_000, "A");
  if (mutate === "unicode") return random.pick(awkward);
  const at = random.between(0, text.length);
  return text.slice(0, at) + random.pick(["", "=", "A", "%", "\u0000"]) + text.slice(at + 1);
}

/** Returns the JSON object in a base64url text, or null. A random text may decode to an opening brace as well. */
function messageIn(text: string): Readonly<Record<string, unknown>> | null {
  const json = Buffer.from(text, "base64url").toString("utf8");
  if (!json.startsWith("{")) return null;
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Changes fields of a message between servers, most often one. */
export function bentMessage(
  message: Readonly<Record<string, unknown>>,
  mutate: Bend,
  random: Random,
): object {
  const mutated: Record<string, unknown> = { ...message };
  if (mutate === "valid") return mutated;
  for (let count = random.between(1, 2); count > 0; count--) {
    const name = random.pick(Object.keys(message));
    if (mutate === "missing") delete mutated[name];
    else if (mutate === "extra") mutated[random.pick(awkward)] = message[name];
    else mutated[name] = bentField(message[name], mutate, random);
  }
  return mutated;
}

function bentField(value: unknown, mutate: Bend, random: Random): unknown {
  switch (mutate) {
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
      return random.pick(awkward);
  }
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%5B/g, "[").replace(/%5D/g, "]");
}

export function awkwardPart(random: Random): string {
  return encodeURIComponent(random.pick(awkward).toWellFormed());
}

/** Returns a network that most likely sent no request yet, because some limits count requests of a network. */
export function newNetwork(random: Random): string {
  const group = () => random.between(1, 65_535).toString(16);
  return `2001:db8:${group()}:${group()}::1`;
}

/** Returns a key from a small set, so that some keys are reused with another body. */
export function keyOf(random: Random): string {
  return random.happens(0.5) ? `key ${random.between(1, 40)}` : `fresh ${random.next()}`;
}
