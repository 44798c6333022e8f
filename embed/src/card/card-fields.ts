import type { CardField } from "../protocol/message.ts";
import { brandOf } from "./brand.ts";
import { type CvcProblem, cvcProblem } from "./cvc.ts";
import { digitsOf } from "./digits.ts";
import { type ExpiryProblem, expiryProblem } from "./expiry.ts";
import { type NumberProblem, numberProblem } from "./number.ts";

/** The text in each field as the customer sees it. The texts are sent only to `vault/cards`. */
export type CardFields = Readonly<Record<CardField, string>>;

export const emptyFields: CardFields = {
  number: "",
  expiry: "",
  cvc: "",
  name: "",
  postal_code: "",
};

/** The maximum text lengths that the vault accepts (`StoreCard`). */
export const maxCharacters = { name: 200, postal_code: 16 } as const;

export type FieldProblem =
  | NumberProblem
  | ExpiryProblem
  | CvcProblem
  | "name_missing"
  | "postal_code_missing";
export type FieldProblems = Readonly<Partial<Record<CardField, FieldProblem>>>;

/** Returns the problem of each invalid field, or an empty object if the form can be submitted. */
export function problemsOf(
  fields: CardFields,
  now: Date,
  requiredFields: { readonly postalCode: boolean },
): FieldProblems {
  const number = numberProblem(fields.number);
  const expiry = expiryProblem(fields.expiry, now);
  const cvc = cvcProblem(fields.cvc, brandOf(digitsOf(fields.number)).cvcLength);
  return {
    ...(number && { number }),
    ...(expiry && { expiry }),
    ...(cvc && { cvc }),
    ...(fields.name.trim() === "" && { name: "name_missing" as const }),
    ...(requiredFields.postalCode &&
      fields.postal_code.trim() === "" && { postal_code: "postal_code_missing" as const }),
  };
}

/** The fields in the order of the form. The first invalid field gets the focus. */
export const fieldOrder: readonly CardField[] = ["number", "expiry", "cvc", "name", "postal_code"];
