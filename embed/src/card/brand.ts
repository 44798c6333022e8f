import type { CardNetwork } from "@florin/contract/payment-method.ts";
import creditCardType from "credit-card-type";
import type { CardBrand } from "../protocol/message.ts";

/** The formatting and validation rules for cards of a brand. */
export type BrandFormat = {
  /** The brand. Null while the digits match several brands, and for a brand without a logo in the form. */
  readonly brand: CardBrand | null;
  readonly name: string | null;
  readonly gaps: readonly number[];
  readonly lengths: readonly number[];
  readonly cvcLength: number;
};

/**
 * The rules while the brand is unknown: groups of four digits, any length that ISO/IEC 7812 allows, and the most common
 * length of a security code.
 */
const unknownBrand: BrandFormat = {
  brand: null,
  name: null,
  gaps: [4, 8, 12, 16],
  lengths: [12, 13, 14, 15, 16, 17, 18, 19],
  cvcLength: 3,
};

const brandsByType: Readonly<Record<string, CardBrand>> = {
  visa: "visa",
  mastercard: "mastercard",
  "american-express": "amex",
  discover: "discover",
  "diners-club": "diners",
  jcb: "jcb",
  unionpay: "unionpay",
};

/** Returns the display name of a network: a card's brand, or the second network of a co-badged card. */
export function brandName(brand: CardNetwork): string {
  if (brand === "cartes_bancaires") return "Cartes Bancaires";
  const type = Object.keys(brandsByType).find((name) => brandsByType[name] === brand);
  return (type && creditCardType.getTypeInfo(type)?.niceType) ?? brand;
}

/** Returns the length of the security code on cards of this brand. */
export function cvcLengthOf(brand: CardBrand | "unknown"): number {
  const type = Object.keys(brandsByType).find((name) => brandsByType[name] === brand);
  return (type && creditCardType.getTypeInfo(type)?.code.size) || unknownBrand.cvcLength;
}

/**
 * Returns the rules of the brand that the first digits determine. If they do not determine a brand, returns the rules
 * for an unknown one.
 */
export function brandOf(digits: string): BrandFormat {
  if (digits === "") return unknownBrand;
  const candidates = creditCardType(digits);
  const [match] = candidates;
  if (!match || candidates.length > 1) return unknownBrand;
  return {
    brand: brandsByType[match.type] ?? null,
    name: match.niceType,
    // Adds a gap after 16 digits, because some numbers of a brand with groups of four have up to 19 digits.
    gaps: match.gaps.length === 3 ? [...match.gaps, 16] : match.gaps,
    lengths: match.lengths,
    cvcLength: match.code.size,
  };
}
