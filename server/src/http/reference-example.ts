import type { JsonSchema } from "@florin/contract/openapi.ts";

/** What examples say where a schema alone would make a dull one. */
const likely: Readonly<Record<string, unknown>> = {
  amount: 1999,
  amount_captured: 1999,
  api_version: "v1",
  client_reference_id: "order_1042",
  country: "US",
  created: 1767225600,
  currency: "usd",
  embed_url: "https://pay.example/embed/cs_01kdvtxc00e9m8q2v7z4h6k1sb#…",
  enabled_events: ["payment.succeeded", "payment_failed"],
  expires_at: 1767312000,
  fingerprint: "Yq3vT0mZ8dKfW1xu",
  last4: "4242",
  metadata: { order: "1042" },
  exp_month: 12,
  exp_year: 2034,
  max_attempts: 5,
  name: "Blue mug",
  payment_method_id: "pm_card_visa",
  success_url: "https://shop.example/thanks",
  type: "card",
  url: "https://shop.example/webhooks",
};

const suffix = "01kdvtxc00e9m8q2v7z4h6k1sb";

type Schemas = Readonly<Record<string, JsonSchema>>;

/** A value that the schema allows, the way a merchant might see it. */
export function exampleOf(schemas: Schemas, schema: JsonSchema, name = ""): unknown {
  if (typeof schema.$ref === "string") {
    return exampleOf(schemas, schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, name);
  }
  if ("const" in schema) return schema.const;
  const id = typeof schema.pattern === "string" && /^\^([a-z]+)_/.exec(schema.pattern)?.[1];
  if (id) return id === "pm" ? "pm_card_visa" : `${id}_${suffix}`;
  if (Array.isArray(schema.anyOf)) return null;
  if (Object.hasOwn(likely, name) && agrees(schema, likely[name])) return likely[name];
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (Array.isArray(schema.enum)) return schema.default ?? mostTelling(schema.enum);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries((schema.properties ?? {}) as Schemas).map(([key, property]) => [
          key,
          exampleOf(schemas, property, key),
        ]),
      );
    case "array":
      return [exampleOf(schemas, (schema.items ?? {}) as JsonSchema, name)];
    case "integer":
      return schema.default ?? schema.minimum ?? 0;
    case "boolean":
      return false;
    default:
      return "…";
  }
}

/** The body of a first request: what is required, and what makes it useful. */
export function exampleBody(schemas: Schemas, schema: JsonSchema): Record<string, unknown> {
  const required = (schema.required ?? []) as readonly string[];
  const telling = ["amount", "success_url", "enabled_events", "metadata"];
  return Object.fromEntries(
    Object.entries((schema.properties ?? {}) as Schemas)
      .filter(([name]) => required.includes(name) || telling.includes(name))
      .map(([name, property]) => [name, exampleOf(schemas, property, name)]),
  );
}

function agrees(schema: JsonSchema, value: unknown): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if (schema.type === "integer") return typeof value === "number";
  if (schema.type === "array") return Array.isArray(value);
  if (schema.type === "object") return typeof value === "object" && !schema.properties;
  return typeof value === schema.type;
}

function mostTelling(values: readonly unknown[]): unknown {
  return (
    ["succeeded", "open", "approve", "active", "payment.succeeded"].find((value) =>
      values.includes(value),
    ) ?? values[0]
  );
}
