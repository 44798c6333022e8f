/** A character that is written from right to left. */
const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Characters that change the direction of the text after them. One of them could end the isolation early. */
const directionControl = /[\u202a-\u202e\u2066-\u2069]/g;

const firstStrongIsolate = "\u2068";
const popDirectionalIsolate = "\u2069";

/**
 * Removes the characters that change the direction of the text after them. They would display other letters in reverse:
 * a file `gpj.exe` could look like `exe.jpg`.
 */
export function withoutDirectionControls(text: string): string {
  return text.replace(directionControl, "");
}

/**
 * Isolates a name in a sentence from the text around it (Unicode UAX #9, 2.4.2). Without isolation, a browser displays
 * digits and punctuation that follow an Arabic or Hebrew name on the wrong side of the name. Names in other scripts are
 * not isolated, so that a copied sentence contains no invisible characters. Characters that change the direction are
 * removed from every name.
 */
export function isolateBidi(name: string): string {
  const plain = withoutDirectionControls(name);
  return rightToLeft.test(plain) ? firstStrongIsolate + plain + popDirectionalIsolate : plain;
}
