import { brandOf } from "./brand.ts";
import { digitsOf } from "./digits.ts";
import { type Edit, type FieldText, formatEdit } from "./formatted-edit.ts";

/** Groups the digits as printed on the card: 4242 4242 4242 4242, 3782 822463 10005. */
export function formatNumber(digits: string): string {
  const { gaps } = brandOf(digits);
  let text = "";
  for (let index = 0; index < digits.length; index++) {
    if (gaps.includes(index)) text += " ";
    text += digits[index];
  }
  return text;
}

export function editNumber(edit: Edit): FieldText {
  return formatEdit(edit, formatNumber);
}

export type NumberProblem = "number_missing" | "number_incomplete" | "number_invalid";

/** Returns the problem of a card number, or null if it can be sent to the service. */
export function numberProblem(text: string): NumberProblem | null {
  const digits = digitsOf(text);
  if (digits === "") return "number_missing";
  const { lengths } = brandOf(digits);
  if (digits.length < Math.min(...lengths)) return "number_incomplete";
  return lengths.includes(digits.length) && passesLuhn(digits) ? null : "number_invalid";
}

/**
 * Returns whether the digits pass the Luhn check of ISO/IEC 7812-1 annex B, which detects every single mistyped digit.
 */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}
