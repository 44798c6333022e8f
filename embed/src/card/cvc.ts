import { digitsOf } from "./digits.ts";
import { type Edit, type FieldText, formatEdit } from "./formatted-edit.ts";

export function editCvc(edit: Edit): FieldText {
  return formatEdit(edit, (digits) => digits);
}

export type CvcProblem = "cvc_missing" | "cvc_incomplete" | "cvc_invalid";

/**
 * Returns the problem with a security code. Returns null if the code is valid. `length` depends on the brand: four
 * digits for American Express, three for all others.
 */
export function cvcProblem(text: string, length: number): CvcProblem | null {
  const digits = digitsOf(text);
  if (digits === "") return "cvc_missing";
  if (digits.length < length) return "cvc_incomplete";
  return digits.length === length ? null : "cvc_invalid";
}
