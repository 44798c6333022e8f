/** The keywords of JSON Schema that the contract uses. */
type Schema = {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
  readonly pattern?: string;
  readonly "x-florin"?: string;
};

/** The names of the types that other types refer to, by their schemas. */
export type TypeNames = ReadonlyMap<object, string>;

/** Returns a schema as a TypeScript type, with the descriptions of its fields. */
export function printType(schema: Schema, names: TypeNames, indent = ""): string {
  // The schema does not list the currency codes, because the server returns a separate error for an unsupported
  // currency.
  if (schema["x-florin"] === "currency") return "Currency";
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((one) => printNested(one, names, indent)).join(" | ");
  if (schema.allOf) return schema.allOf.map((one) => printNested(one, names, indent)).join(" & ");
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => printType({ ...schema, type }, names, indent)).join(" | ");
  }
  if (schema["x-florin"] === "query") return printFilter(schema, names, indent);
  switch (schema.type) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "null":
      return schema.type;
    case "string":
      return idType(schema.pattern) ?? "string";
    case "array":
      return `Array<${schema.items ? printNested(schema.items, names, indent) : "unknown"}>`;
    case "object":
      return printObject(schema, names, indent);
    default:
      return "unknown";
  }
}

/** Returns the name of the schema's type. If the type has no name, returns the type itself. */
function printNested(schema: Schema, names: TypeNames, indent: string): string {
  return names.get(schema) ?? printType(schema, names, indent);
}

/**
 * Returns the type of a filter. A list filter also accepts a single value, and a range filter also accepts an exact
 * number.
 */
function printFilter(
  { "x-florin": _, ...schema }: Schema,
  names: TypeNames,
  indent: string,
): string {
  const type = printType(schema, names, indent);
  if (schema.type === "array" && schema.items) return `${printType(schema.items, names)} | ${type}`;
  return schema.properties && "gte" in schema.properties ? `number | ${type}` : type;
}

/**
 * Returns a template literal type such as `ch_${string}` if the pattern has the prefix of one kind of ID. Otherwise
 * returns null.
 */
function idType(pattern: string | undefined): string | null {
  const prefix = /^\^([a-z]+)_[[(]/.exec(pattern ?? "")?.[1];
  return prefix ? `\`${prefix}_\${string}\`` : null;
}

function printObject(schema: Schema, names: TypeNames, indent: string): string {
  if (!schema.properties) {
    const [values] = Object.values(schema.patternProperties ?? {});
    const more = values ?? schema.additionalProperties;
    const type = typeof more === "object" ? printNested(more, names, indent) : "unknown";
    return `{ [name: string]: ${type} }`;
  }
  const deeper = `${indent}  `;
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const words = field.description ? `${deeper}/** ${field.description} */\n` : "";
    const optional = schema.required?.includes(name) ? "" : "?";
    return `${words}${deeper}${name}${optional}: ${printNested(field, names, deeper)};`;
  });
  return `{\n${fields.join("\n")}\n${indent}}`;
}
