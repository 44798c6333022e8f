import Type from "typebox";

// The patterns escape control characters with `\x`, and line separators with `\p`. For a `\u` escape,
// @hey-api/openapi-ts would write the character itself into the generated code, where a raw NUL or line separator is a
// syntax error.

/**
 * Characters that no text may contain: NUL, which PostgreSQL cannot store, and lone surrogates, which UTF-8 cannot
 * encode (RFC 3629 §3).
 */
export const unwritable = "\\x00\\ud800-\\udfff";

/** Line breaks, tabs and other control characters. */
export const controls = "\\x01-\\x1f\\x7f-\\x9f";

/**
 * Characters that are not visible on their own: white space, control characters, U+2800, and the characters that Unicode
 * lets fonts leave out, such as U+200B and U+3164. A name of only these characters would look like a missing name.
 */
export const blank = `\\s\\p{Default_Ignorable_Code_Point}\\u2800${controls}`;

/** A string that is neither empty nor blank and contains only storable characters. The reference shows `example`. */
export function text(maxLength: number, description: string, example?: string) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: `^[${blank}]*[^${blank}${unwritable}][^${unwritable}]*$`,
    description,
    ...(example !== undefined && { examples: [example] }),
  });
}

/** Characters that change the direction of the text around them. */
export const directionControls = "\\u202a-\\u202e\\u2066-\\u2069";

/** Line and paragraph separators, and direction controls. A pattern with them needs the flag `u`. */
const layoutControls = `\\p{Zl}\\p{Zp}${directionControls}`;

/**
 * Matches text that email clients turn into a link: a scheme, `www.`, two words joined by a full stop, and one-letter
 * domain names such as `t.co`. The repetitions are bounded so that matching takes linear time.
 */
const address = [
  ":\\/\\/",
  "[wW]{3}\\.",
  "[\\p{L}\\p{N}\\-]{2}\\.\\p{L}{2}",
  "[\\p{L}\\p{N}]\\.(?:[a-z]{2,4}|[A-Z]{2,3})(?!\\p{L})",
].join("|");

/**
 * The name of a person or a business. The name must not contain a web address or control characters, because Florin
 * sends it in emails to people who may not know its owner.
 */
export function properName(maxLength: number, description: string) {
  const bad = `${unwritable}${controls}${layoutControls}`;
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: `^(?!.*(?:${address}))(?=[${blank}]*[^${blank}])[^${bad}]*$`,
    "x-florin": "name",
    description,
  });
}
