import Type, { type TSchema } from "typebox";

/**
 * The rule for `null` in requests. In an optional field, `null` means that the field is not set, as clients in Java,
 * Go, Python and C# send it. The rule applies to every request body and at every depth, for creations and updates. If
 * the schema of a field includes null, the null has its own meaning: on an update, `description: null` and `metadata:
 * {order: null}` remove the stored value.
 */

type Shape = {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly description?: string;
};

/** Returns a copy of the value without the nulls of optional fields. */
export function unsetNulls(schema: TSchema, value: unknown): unknown {
  return unset(schema as Shape, value);
}

function unset(shape: Shape, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = alternativeOf(shape, "array");
    return items ? value.map((item) => unset(items, item)) : value;
  }
  const object = alternativeOf(shape, "object");
  const members = Object.entries(value).flatMap(([name, member]) => {
    const property = memberOf(object, name);
    if (!property) return [[name, member]];
    const isUnset = member === null && isOptional(object, name) && !acceptsNull(property);
    return isUnset ? [] : [[name, unset(property, member)]];
  });
  return Object.fromEntries(members);
}

/** Returns the alternative of the given type from an `anyOf`, or the schema itself. */
function alternativeOf(shape: Shape, type: "object" | "array"): Shape {
  return shape.anyOf?.find((one) => one.type === type) ?? shape;
}

/** Returns the member's schema. Maps such as metadata have one schema for all members. */
function memberOf({ properties, patternProperties }: Shape, name: string): Shape | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return Object.values(patternProperties ?? {})[0];
}

function isOptional({ required }: Shape, name: string): boolean {
  return !required?.includes(name);
}

function acceptsNull({ type, anyOf, enum: choices, const: only }: Shape): boolean {
  if (anyOf) return anyOf.some(acceptsNull);
  if (choices) return choices.includes(null);
  return type === "null" || only === null || (type === undefined && only === undefined);
}

/** Returns the schema with null as an alternative of each optional field, for the OpenAPI document. */
export function withNulls(schema: TSchema): TSchema {
  return widened(schema as Shape) as TSchema;
}

/** Returns the same schema object if it has no optional fields, so that a named schema is still recognized. */
function widened(shape: Shape): Shape {
  let changed = false;
  const apply = (inner: Shape, optional: boolean): Shape => {
    const wide = widened(inner);
    const result = optional && !acceptsNull(wide) ? orNull(wide) : wide;
    changed ||= result !== inner;
    return result;
  };
  const each = (shapes: Readonly<Record<string, Shape>>) =>
    Object.fromEntries(
      Object.entries(shapes).map(([name, inner]) => [name, apply(inner, isOptional(shape, name))]),
    );
  const wide: Shape = {
    ...shape,
    ...(shape.properties && { properties: each(shape.properties) }),
    ...(shape.patternProperties && { patternProperties: each(shape.patternProperties) }),
    ...(shape.items && { items: apply(shape.items, false) }),
    ...(shape.anyOf && { anyOf: shape.anyOf.map((one) => apply(one, false)) }),
  };
  return changed ? wide : shape;
}

function orNull(shape: Shape): Shape {
  const { description, ...rest } = shape;
  return {
    // Returns an object schema unchanged, because it may be a named schema.
    anyOf: [shape.type === "object" ? shape : rest, Type.Null() as Shape],
    ...(description !== undefined && { description }),
  };
}
