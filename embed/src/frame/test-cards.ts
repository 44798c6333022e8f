import type { CardFields } from "../card/card-fields.ts";
import { formatNumber } from "../card/number.ts";

/** The cards of test mode's picker: one for each outcome that a shop tries first. The docs list all test cards. */
export const testCards = [
  { label: "Success", number: "4242424242424242" },
  { label: "Declined", number: "4000000000000002" },
  { label: "Insufficient funds", number: "4000000000009995" },
  { label: "3-D Secure", number: "4000002760003184" },
] as const;

/** Fills the form for test mode, which accepts any future expiry and any code. */
export function testFields(number: string, now: Date): CardFields {
  const year = String((now.getFullYear() + 3) % 100).padStart(2, "0");
  return {
    number: formatNumber(number),
    expiry: `12 / ${year}`,
    cvc: "123",
    name: "Test Customer",
    postal_code: "10001",
  };
}
