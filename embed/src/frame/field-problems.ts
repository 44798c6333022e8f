import type { FieldProblem } from "../card/card-fields.ts";
import type { CardField } from "../protocol/message.ts";

/** A problem with a field that passed the form's checks but was rejected by the service or the issuer. */
export type RejectedField =
  | "number_rejected"
  | "expiry_rejected"
  | "cvc_rejected"
  | "name_rejected"
  | "postal_code_rejected"
  | "test_cards_only";

export type ShownProblem = FieldProblem | RejectedField;
export type ShownProblems = Readonly<Partial<Record<CardField, ShownProblem>>>;

/**
 * Returns the field error for a rejection code or decline code. Returns null if the customer cannot solve the problem
 * by correcting a field.
 */
export function problemForCode(code: string): ShownProblems | null {
  switch (code) {
    case "incorrect_number":
    case "invalid_number":
    case "invalid_card_type":
      return { number: "number_rejected" };
    case "testmode_decline":
      return { number: "test_cards_only" };
    case "expired_card":
      return { expiry: "expiry_past" };
    case "invalid_expiry_month":
    case "invalid_expiry_year":
      return { expiry: "expiry_rejected" };
    case "incorrect_cvc":
    case "invalid_cvc":
      return { cvc: "cvc_rejected" };
    case "incorrect_zip":
      return { postal_code: "postal_code_rejected" };
    default:
      return null;
  }
}

/** Returns the field error to show for a rejected `StoreCard` parameter. */
export function problemForParameter(param: string | undefined): ShownProblems | null {
  switch (param) {
    case "number":
      return { number: "number_rejected" };
    case "exp_month":
    case "exp_year":
      return { expiry: "expiry_rejected" };
    case "cvc":
      return { cvc: "cvc_rejected" };
    case "name":
      return { name: "name_rejected" };
    case "postal_code":
      return { postal_code: "postal_code_rejected" };
    default:
      return null;
  }
}
