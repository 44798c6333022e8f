import fc from "fast-check";

const firstSurrogate = 0xd800;
const surrogates = 0x800;
const lastCodePoint = 0x10ffff;

/**
 * Any character of Unicode, as a `unit` of `fc.string`. Has the same characters as fast-check's unit `binary`, which
 * takes two seconds of CPU time in each process that uses it.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: lastCodePoint - surrogates })
  .map(
    (index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
    indexOf,
  );

/** Returns the index of a character, so that fast-check can shrink texts that it did not generate. */
function indexOf(character: unknown): number {
  const codePoint = typeof character === "string" ? character.codePointAt(0) : undefined;
  if (codePoint === undefined || String.fromCodePoint(codePoint) !== character) {
    throw new Error("not a character");
  }
  return codePoint < firstSurrogate ? codePoint : codePoint - surrogates;
}
