import type { CardBrand, CardFacts } from "./payment.ts";

/** Number ranges of the brands. The first match wins. */
const ranges: readonly (readonly [RegExp, CardBrand])[] = [
  [/^4/, "visa"],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, "mc"],
  [/^3[47]/, "amex"],
  [/^(6011|64[4-9]|65)/, "discover"],
  [/^35/, "jcb"],
  [/^3[068]/, "diners"],
  [/^62/, "cup"],
  [/^(50|5[6-9]|6)/, "maestro"],
];

/** Returns the card data that may be stored. A brand in the request overrides the brand of the number. */
export function cardFactsOf(
  number: string,
  expiry: string,
  brand: string | null,
  wallet: CardFacts["wallet"],
): CardFacts {
  const ofNumber = ranges.find(([range]) => range.test(number))?.[1] ?? "visa";
  return { brand: brand ?? ofNumber, last4: number.slice(-4), expiry, wallet };
}
