import Type, { type TSchema } from "typebox";

/** A field that is always present and may be null. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  // Copies the property descriptors, because a refinement is stored in a property that is not enumerable.
  const { description, ...rest } = Object.getOwnPropertyDescriptors(schema);
  return Type.Union(
    [Object.defineProperties({}, rest) as Schema, Type.Null()],
    description === undefined ? {} : { description: description.value },
  );
}
