/**
 * The zero of every script a keyboard or an autofill may type card digits in: ASCII, Arabic-Indic, Persian,
 * Devanagari and full-width. A customer whose phone writes ٤٢٤٢ has typed a card number like any other.
 */
const zeros = [0x30, 0x660, 0x6f0, 0x966, 0xff10];

/** The digits of a text in ASCII, in order, with everything else left out. */
export function digitsOf(text: string): string {
  let digits = "";
  for (const letter of text) {
    const code = letter.codePointAt(0) as number;
    const zero = zeros.find((start) => code >= start && code < start + 10);
    if (zero !== undefined) digits += code - zero;
  }
  return digits;
}
