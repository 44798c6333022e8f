import type { CardNetwork } from "@florin/contract/payment-method.ts";
import creditCardType from "credit-card-type";
import type { CardBrand } from "../protocol/message.ts";

/** The brand's facts for the form: positions of the gaps, length of the number, length of the security code. */
export type BrandFacts = {
  /** Null while the digits fit several brands or a brand without a mark. */
  readonly brand: CardBrand | null;
  readonly name: string | null;
  readonly gaps: readonly number[];
  readonly lengths: readonly number[];
  readonly cvcLength: number;
};

/** Used until the brand is known: groups of four, any length of ISO/IEC 7812, and the most common code length. */
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

/** Returns the display name of a brand or of the network that shares the card with it. */
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

/** Returns the brand as far as these digits determine it. */
export function brandOf(digits: string): BrandFacts {
  if (digits === "") return unknownBrand;
  const candidates = creditCardType(digits);
  const [match] = candidates;
  if (!match || candidates.length > 1) return unknownBrand;
  return {
    brand: drawnBrands[match.type] ?? null,
    name: match.niceType,
    // Some numbers have up to 19 digits. The digits after the brand's last gap are also grouped in fours.
    gaps: match.gaps.length === 3 ? [...match.gaps, 16] : match.gaps,
    lengths: match.lengths,
    cvcLength: match.code.size,
  };
}
