import Type from "typebox";

/**
 * What no text may hold: NUL, which Postgres cannot keep, and half of a surrogate pair, which is no character
 * and cannot be written in UTF-8 (RFC 3629 §3).
 */
export const unwritable = "\\u0000\\ud800-\\udfff";

/** Line breaks, tabs and what else does not print. */
export const controls = "\\u0001-\\u001f\\u007f-\\u009f";

/** A text that says something: not empty, not blank, and of characters that can be kept. `example` is for the reference. */
export function text(maxLength: number, description: string, example?: string) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: `^\\s*[^\\s${unwritable}][^${unwritable}]*$`,
    description,
    ...(example !== undefined && { examples: [example] }),
  });
}
