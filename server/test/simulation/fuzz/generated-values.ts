import type { JsonSchema } from "@florin/contract/openapi.ts";
import type { Random } from "../seeded-random.ts";
import type { ResponseValues } from "./response-values.ts";

/** The kinds of generated values: valid, at a limit of the schema, or invalid in the named way. */
export const mutationKinds = [
  "valid",
  "valid",
  "valid",
  "boundary",
  "boundary",
  "wrong type",
  "missing",
  "extra",
  "huge",
  "deep",
  "unicode",
  "null",
] as const;
export type MutationKind = (typeof mutationKinds)[number];

/** Strings that commonly cause failures. */
export const problematicStrings: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udfff\ud800",
  "\u202e\u2066reversed\u2069",
  "e\u0301".repeat(40),
  "👩‍👩‍👧‍👦".repeat(20),
  "ﷺ".repeat(50),
  "İıŞß\u00ad\u200b\ufeff",
  "__proto__",
  "constructor",
  "../../etc/passwd",
  "%00%ff%c0%ae",
  "'; drop table charges; --",
  "$\u007bjndi:ldap://x}",
  "<script>alert(1)</script>",
  "9007199254740993",
  "1e400",
  "-0",
  "NaN",
  "null",
  "true",
  "\r\nX-Injected: 1",
];

export type ValueGenerator = ReturnType<typeof createValueGenerator>;

/**
 * Returns a value that cannot be generated from the property's schema, such as a valid password. Returns undefined if
 * the schema suffices.
 */
export type Hint = (property: string) => unknown;

/** Creates a generator of values. `schemas` contains the schemas to which `$ref` refers. */
export function createValueGenerator(
  schemas: Readonly<Record<string, JsonSchema>>,
  known: ResponseValues,
  random: Random,
  hint: Hint = () => undefined,
) {
  // Many optional properties exclude each other, so a third of the requests have none.
  const optional = random.pick([0, 0.15, 0.4]);

  function resolved(schema: JsonSchema): JsonSchema {
    const name = typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined;
    return name ? (schemas[name] as JsonSchema) : schema;
  }

  /** Returns a value for the schema, of the given kind. */
  function schemaValue(given: JsonSchema, kind: MutationKind, depth = 0): unknown {
    const schema = resolved(given);
    if (kind !== "valid" && kind !== "boundary" && (depth === 2 || random.happens(0.35))) {
      const mutated = mutatedValue(kind);
      if (mutated !== undefined) return mutated;
    }
    if ("const" in schema) return schema.const;
    if (Array.isArray(schema.enum)) return random.pick(schema.enum);
    const options = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
    if (options) return schemaValue(random.pick(options), kind, depth);
    const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
    switch (type) {
      case "object":
        return objectOf(schema, kind, depth);
      case "array":
        return arrayOf(schema, kind, depth);
      case "integer":
      case "number":
        return numberOf(schema, kind);
      case "boolean":
        return random.happens(0.5);
      case "null":
        return null;
      default:
        return textOf(schema, kind);
    }
  }

  function objectOf(schema: JsonSchema, kind: MutationKind, depth: number): object {
    const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
    const required = (schema.required ?? []) as string[];
    const created: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(properties)) {
      const isRequired = required.includes(name);
      if (isRequired ? kind === "missing" && random.happens(0.4) : !random.happens(optional))
        continue;
      const hinted = kind === "valid" || random.happens(0.5) ? hint(name) : undefined;
      created[name] = hinted ?? schemaValue(property, kind, depth + 1);
    }
    const others = (schema.patternProperties ?? {}) as Record<string, JsonSchema>;
    for (const property of Object.values(others)) {
      for (let count = random.between(0, kind === "boundary" ? 50 : 3); count > 0; count--) {
        created[`key_${count}`] = schemaValue(property, kind, depth + 1);
      }
    }
    if (kind === "extra")
      created[random.pick(["no_such_field", ...problematicStrings])] = schemaValue({}, "valid");
    return created;
  }

  function arrayOf(schema: JsonSchema, kind: MutationKind, depth: number): unknown[] {
    const { minItems = 0, maxItems = 5 } = schema as { minItems?: number; maxItems?: number };
    const size =
      kind === "boundary"
        ? random.pick([minItems, maxItems, maxItems + 1, Math.max(0, minItems - 1)])
        : random.between(minItems, Math.min(maxItems, minItems + 3));
    return Array.from({ length: size }, () =>
      schemaValue((schema.items ?? {}) as JsonSchema, kind, depth + 1),
    );
  }

  function numberOf(schema: JsonSchema, kind: MutationKind): number {
    const { minimum = 0, maximum = 10_000 } = schema as { minimum?: number; maximum?: number };
    if (kind !== "boundary") return random.between(minimum, Math.min(maximum, minimum + 5_000));
    return random.pick([
      minimum,
      maximum,
      minimum - 1,
      maximum + 1,
      0,
      -0,
      -1,
      0.5,
      2 ** 31,
      2 ** 53 - 1,
      2 ** 53,
      -(2 ** 53),
      1e21,
      1e300,
    ]);
  }

  function textOf(schema: JsonSchema, kind: MutationKind): string {
    const {
      pattern,
      maxLength = 100,
      minLength = 0,
    } = schema as {
      pattern?: string;
      maxLength?: number;
      minLength?: number;
    };
    const prefix = /^\^\(?([a-z]{2,5})_/.exec(pattern ?? "")?.[1];
    if (prefix && random.happens(0.9)) return known.id(prefix, random);
    if (kind === "boundary") {
      const length = random.pick([minLength, maxLength, maxLength + 1, Math.max(0, minLength - 1)]);
      return "x".repeat(Math.min(length, 20_000));
    }
    const samples = [
      ...((schema.examples ?? []) as string[]),
      "usd",
      "eur",
      "US",
      "DE",
      "ada@example.com",
      "https://shop.example/thanks",
      "https://shop.example",
      "http://127.0.0.1:1/hooks",
      "pm_card_visa",
      "pm_card_threeDSecure2Required",
      "amount > 50000",
      "8.8.8.8",
      "de",
      "2026-01-31",
      "4242",
      "Blue mug",
    ];
    const fitting = samples.filter(
      (text) => text.length <= maxLength && (!pattern || new RegExp(pattern, "u").test(text)),
    );
    return fitting.length > 0 ? random.pick(fitting) : "x".repeat(Math.max(minLength, 1));
  }

  function mutatedValue(kind: MutationKind): unknown {
    switch (kind) {
      case "wrong type":
        return random.pick([7, "text", true, [], {}, [[]], 1.5, { a: { b: [1] } }, [null]]);
      case "huge":
        return random.pick([
          "x".repeat(60_000),
          Array.from({ length: 5_000 }, () => 1),
          Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, "v"])),
          1e308,
        ]);
      case "deep": {
        let nested: unknown = 1;
        const levels = random.pick([10, 50, 1_000, 4_000]);
        for (let level = 0; level < levels; level++)
          nested = random.happens(0.5) ? [nested] : { a: nested };
        return nested;
      }
      case "unicode":
        return random.pick(problematicStrings);
      case "null":
        return null;
      default:
        return undefined;
    }
  }

  return { schemaValue };
}
