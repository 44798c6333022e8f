/**
 * The code point of zero in each script in which a keyboard or autofill may enter digits: ASCII, Arabic-Indic, Persian,
 * Devanagari and full-width. A card number may be entered as ٤٢٤٢.
 */
const zeros = [0x30, 0x660, 0x6f0, 0x966, 0xff10];

/** Returns the digits of a text as ASCII, without any other characters. */
export function digitsOf(text: string): string {
  let digits = "";
  for (const letter of text) {
    const code = letter.codePointAt(0) as number;
    const zero = zeros.find((start) => code >= start && code < start + 10);
    if (zero !== undefined) digits += code - zero;
  }
  return digits;
}
