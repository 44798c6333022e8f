import { hash } from "node:crypto";
import type { Card } from "./records.ts";
import type { Fields } from "./request-fields.ts";
import { textOf, textsOf } from "./request-fields.ts";
import { avsCheckOf } from "./test-values.ts";

/** Number ranges of the schemes. The first match wins. */
const ranges: readonly (readonly [RegExp, string])[] = [
  [/^4/, "VISA"],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, "MASTERCARD"],
  [/^3[47]/, "AMERICAN EXPRESS"],
  [/^(6011|64[4-9]|65)/, "DISCOVER"],
  [/^35/, "JCB"],
  [/^3[068]/, "DINERS CLUB INTERNATIONAL"],
];

export function schemeOf(number: string): string {
  return ranges.find(([range]) => range.test(number))?.[1] ?? "VISA";
}

/** Returns the card data that may be stored. The fingerprint identifies the number and cannot be reversed. */
export function cardFactsOf(
  source: Fields,
  number: string,
  expiry: { readonly month: number; readonly year: number },
  { id, salt }: { readonly id: string; readonly salt: string },
): Card {
  const address = source.billing_address as Fields | undefined;
  const cvv = textOf(source, "cvv");
  return {
    id,
    scheme: schemeOf(number),
    bin: number.slice(0, 6),
    last4: number.slice(-4),
    expiryMonth: expiry.month,
    expiryYear: expiry.year,
    name: textOf(source, "name"),
    fingerprint: hash("sha256", `${salt} ${number}`).toUpperCase(),
    avsCheck: address ? avsCheckOf(textOf(address, "address_line1")) : null,
    cvvCheck: cvv === null ? null : "Y",
    billingAddress: address ? textsOf(address) : null,
  };
}
