/** A character that is written from right to left. */
const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

const firstStrongIsolate = "\u2068";
const popDirectionalIsolate = "\u2069";

/**
 * Isolates a name in a sentence from the text around it (Unicode UAX #9, 2.4.2). Without isolation, a browser displays
 * digits and punctuation after an Arabic or Hebrew name on its other side. Names in other scripts stay unchanged, so
 * that a copied sentence contains no invisible characters.
 */
export function isolateBidi(name: string): string {
  return rightToLeft.test(name) ? firstStrongIsolate + name + popDirectionalIsolate : name;
}
