import Type, { type TSchema } from "typebox";

/** A field that is always present and may be null. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const { description, ...rest } = schema as Schema & { description?: string };
  return Type.Union(
    [rest as unknown as Schema, Type.Null()],
    description === undefined ? {} : { description },
  );
}
