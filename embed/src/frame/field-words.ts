import type { FieldProblem } from "../card/card-fields.ts";
import type { CardField } from "../protocol/message.ts";

/** A field that looked right to us and that the service or the bank refused. */
export type RefusedField =
  | "number_refused"
  | "expiry_refused"
  | "cvc_refused"
  | "postal_code_refused"
  | "test_cards_only";

export type ShownProblem = FieldProblem | RefusedField;
export type ShownProblems = Readonly<Partial<Record<CardField, ShownProblem>>>;

/** Which field the customer must correct, by the code of the refusal; null when none would help. */
export function fieldAtFault(code: string): ShownProblems | null {
  switch (code) {
    case "incorrect_number":
    case "invalid_number":
    case "invalid_card_type":
      return { number: "number_refused" };
    case "testmode_decline":
      return { number: "test_cards_only" };
    case "expired_card":
      return { expiry: "expiry_past" };
    case "invalid_expiry_month":
    case "invalid_expiry_year":
      return { expiry: "expiry_refused" };
    case "incorrect_cvc":
    case "invalid_cvc":
      return { cvc: "cvc_refused" };
    case "incorrect_zip":
      return { postal_code: "postal_code_refused" };
    default:
      return null;
  }
}

/** What stands under a field: what is wrong and what is expected. */
export const fieldWords: Readonly<Record<ShownProblem, string>> = {
  number_missing: "Enter your card number.",
  number_incomplete: "The card number is too short.",
  number_invalid: "Check the card number.",
  number_refused: "Check the card number.",
  test_cards_only: "Only test cards work here.",
  expiry_missing: "Enter the expiry date.",
  expiry_incomplete: "Enter month and year.",
  expiry_month_invalid: "The month goes from 01 to 12.",
  expiry_year_invalid: "Check the year.",
  expiry_past: "This date has passed.",
  expiry_refused: "Check the expiry date.",
  cvc_missing: "Enter the security code.",
  cvc_incomplete: "The code is too short.",
  cvc_invalid: "The code is too long.",
  cvc_refused: "Check the security code.",
  name_missing: "Enter the name on the card.",
  postal_code_missing: "Enter the postal code.",
  postal_code_refused: "Check the postal code.",
};
