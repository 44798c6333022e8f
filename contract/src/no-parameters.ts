import Type from "typebox";

/** The body of an operation without parameters. Any field is rejected. */
export const NoParameters = Type.Object({}, { additionalProperties: false });
