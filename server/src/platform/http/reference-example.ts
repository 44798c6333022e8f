import { exampleId, type IdPrefix } from "@florin/contract/ids.ts";
import type { JsonSchema } from "@florin/contract/openapi.ts";

/** Example values by property name, for properties whose schema has no example. */
const exampleByName: Readonly<Record<string, unknown>> = {
  amount: 1999,
  amount_captured: 1999,
  api_version: "v1",
  at: 1767225600,
  client_reference_id: "order_1042",
  city: "Portland",
  count: 572,
  country: "US",
  created: 1767225600,
  credit: "merchant_balance",
  currency: "usd",
  debit: "acquirer_receivable",
  email: "ada@example.com",
  embed_url: `https://pay.example/embed/${exampleId("cs")}#…`,
  exact: true,
  enabled_events: ["payment.succeeded", "payment_failed"],
  expires_at: 1767312000,
  fingerprint: "Yq3vT0mZ8dKfW1xu",
  kind: "charge",
  last4: "4242",
  line1: "1 Main Street",
  line2: "Floor 2",
  metadata: { order: "1042" },
  exp_month: 12,
  exp_year: 2034,
  max_attempts: 5,
  name: "Ada Lovelace",
  object_id: exampleId("ch"),
  phone: "+1 503 555 0100",
  postal_code: "97201",
  since: 1767225600,
  source: exampleId("ch"),
  state: "OR",
  success_url: "https://shop.example/thanks",
  type: "card",
  url: "https://shop.example/webhooks",
};

/** Optional properties that an example request includes. */
const shownOptional = [
  "amount",
  "client_reference_id",
  "email",
  "enabled_events",
  "metadata",
  "success_url",
];

/**
 * Nullable properties that have a value in examples, because the response repeats them from the request, or because
 * every new session has them.
 */
const shownNullable = [...shownOptional, "embed_url"];

/** The example of a string property that has no example. */
const anyText = "…";

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Returns an example value that the schema allows. */
export function exampleOf(schemas: Schemas, schema: JsonSchema, name = ""): unknown {
  if (typeof schema.$ref === "string") {
    return exampleOf(schemas, schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, name);
  }
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.examples)) return schema.examples[0];
  const id = typeof schema.pattern === "string" && /^\^([a-z]+)_/.exec(schema.pattern)?.[1];
  if (id) return exampleId(id as IdPrefix);
  if (Array.isArray(schema.anyOf)) {
    const isNullable = schema.anyOf.some(({ type }: JsonSchema) => type === "null");
    if (isNullable && !shownNullable.includes(name)) return null;
    return exampleOf(schemas, schema.anyOf[0], name);
  }
  if (Object.hasOwn(exampleByName, name) && isAllowedBy(schema, exampleByName[name]))
    return exampleByName[name];
  if (Array.isArray(schema.enum)) return schema.default ?? mostInformative(schema.enum);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries((schema.properties ?? {}) as Schemas).map(([key, property]) => [
          key,
          exampleOf(schemas, property, key),
        ]),
      );
    case "array": {
      const item = exampleOf(schemas, (schema.items ?? {}) as JsonSchema, name);
      return item === anyText ? [] : [item];
    }
    case "integer":
      return schema.default ?? schema.minimum ?? 0;
    case "boolean":
      return false;
    default:
      return anyText;
  }
}

/** Returns the body of an example request: the schema's example, or the required and the most useful properties. */
export function exampleBody(schemas: Schemas, schema: JsonSchema): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0];
  const required = (schema.required ?? []) as readonly string[];
  return Object.fromEntries(
    Object.entries((schema.properties ?? {}) as Schemas)
      .filter(([name]) => required.includes(name) || shownOptional.includes(name))
      .map(([name, property]) => [name, exampleOf(schemas, property, name)]),
  );
}

function isAllowedBy(schema: JsonSchema, value: unknown): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if (schema.type === "integer") return typeof value === "number";
  if (schema.type === "array") return Array.isArray(value);
  if (schema.type === "object") return typeof value === "object" && !schema.properties;
  return typeof value === schema.type;
}

function mostInformative(values: readonly unknown[]): unknown {
  return (
    ["succeeded", "open", "approve", "active", "payment.succeeded"].find((value) =>
      values.includes(value),
    ) ?? values[0]
  );
}
