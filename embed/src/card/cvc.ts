import { digitsOf } from "./digits.ts";
import { type Edit, type FieldText, formatEdit } from "./formatted-edit.ts";

export function editCvc(edit: Edit): FieldText {
  return formatEdit(edit, (digits) => digits);
}

export type CvcProblem = "cvc_missing" | "cvc_incomplete" | "cvc_invalid";

/** Three digits on the back, or four on the front of an American Express. The brand determines the length. */
export function cvcProblem(text: string, length: number): CvcProblem | null {
  const digits = digitsOf(text);
  if (digits === "") return "cvc_missing";
  if (digits.length < length) return "cvc_incomplete";
  return digits.length === length ? null : "cvc_invalid";
}
