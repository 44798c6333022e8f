import Type from "typebox";

/** The body of an operation that needs none: whatever is in it is a mistake. */
export const NoParameters = Type.Object({}, { additionalProperties: false });
