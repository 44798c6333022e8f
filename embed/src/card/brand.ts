import type { CardNetwork } from "@florin/contract/payment-method.ts";
import creditCardType from "credit-card-type";
import type { CardBrand } from "../protocol/message.ts";

/** What the form must know of a brand: where the gaps stand, how long the number is, how long the code is. */
export type BrandFacts = {
  /** null while the digits could still be of several brands, or of one we do not draw. */
  readonly brand: CardBrand | null;
  readonly name: string | null;
  readonly gaps: readonly number[];
  readonly lengths: readonly number[];
  readonly cvcLength: number;
};

/** Until the brand is known: groups of four, any length of ISO/IEC 7812, the code of most cards. */
const unknownBrand: BrandFacts = {
  brand: null,
  name: null,
  gaps: [4, 8, 12, 16],
  lengths: [12, 13, 14, 15, 16, 17, 18, 19],
  cvcLength: 3,
};

const drawnBrands: Readonly<Record<string, CardBrand>> = {
  visa: "visa",
  mastercard: "mastercard",
  "american-express": "amex",
  discover: "discover",
  "diners-club": "diners",
  jcb: "jcb",
  unionpay: "unionpay",
};

/** What people call the brand, or the network that shares the card with it. */
export function brandName(brand: CardNetwork): string {
  if (brand === "cartes_bancaires") return "Cartes Bancaires";
  const type = Object.keys(drawnBrands).find((name) => drawnBrands[name] === brand);
  return (type && creditCardType.getTypeInfo(type)?.niceType) ?? brand;
}

/** Returns how many digits the security code of a brand's cards has. */
export function cvcLengthOf(brand: CardBrand | "unknown"): number {
  const type = Object.keys(drawnBrands).find((name) => drawnBrands[name] === brand);
  return (type && creditCardType.getTypeInfo(type)?.code.size) || unknownBrand.cvcLength;
}

/** The brand as far as these digits decide it. */
export function brandOf(digits: string): BrandFacts {
  if (digits === "") return unknownBrand;
  const candidates = creditCardType(digits);
  const [match] = candidates;
  if (!match || candidates.length > 1) return unknownBrand;
  return {
    brand: drawnBrands[match.type] ?? null,
    name: match.niceType,
    // Some numbers run to 19 digits; the tail after the brand's last gap is cut into fours as well.
    gaps: match.gaps.length === 3 ? [...match.gaps, 16] : match.gaps,
    lengths: match.lengths,
    cvcLength: match.code.size,
  };
}
