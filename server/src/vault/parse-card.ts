import { passesLuhn } from "@florin/contract/luhn.ts";
import type { CardBrand } from "@florin/contract/payment-method.ts";
import creditCardType from "credit-card-type";
import {
  type CardCredentials,
  type CardholderDetails,
  CardNumber,
  SecurityCode,
} from "./card-number.ts";

/** A card as the cardholder typed it. */
export type TypedCard = {
  readonly number: string;
  readonly expMonth: number;
  /** A four-digit year, or its last two digits. */
  readonly expYear: number;
  readonly securityCode: string | null;
  readonly postalCode: string | null;
  readonly addressLine1: string | null;
  readonly holder?: CardholderDetails;
};

/** The decline codes of cards that are rejected before the acquirer is called. */
export type CardProblem =
  | "invalid_number"
  | "incorrect_number"
  | "invalid_expiry_month"
  | "invalid_expiry_year"
  | "expired_card"
  | "invalid_cvc";

export type ParsedCard = { readonly brand: CardBrand; readonly credentials: CardCredentials };

export type Parsed =
  | { readonly kind: "card"; readonly card: ParsedCard }
  | { readonly kind: "problem"; readonly problem: CardProblem };

/** Parses a typed card. If the card is invalid, returns the first problem in the order of the form's fields. */
export function parseCard(typed: TypedCard, now: Date): Parsed {
  const digits = readDigits(typed.number);
  if (digits === null) return wrong("invalid_number");
  if (!passesLuhn(digits)) return wrong("incorrect_number");
  const brand = brandOf(digits);
  // Rejects a length that the network does not use.
  if (!brand.lengths.includes(digits.length)) return wrong("invalid_number");

  const { expMonth } = typed;
  if (!Number.isInteger(expMonth) || expMonth < 1 || expMonth > 12) {
    return wrong("invalid_expiry_month");
  }
  const expYear = fourDigitYear(typed.expYear);
  if (expYear === null || expYear > now.getUTCFullYear() + maxCardLifeYears) {
    return wrong("invalid_expiry_year");
  }
  if (isExpired({ expMonth, expYear }, now)) return wrong("expired_card");

  const code = typed.securityCode;
  if (code !== null && !isSecurityCode(code, brand.codeSizes)) return wrong("invalid_cvc");

  const credentials = {
    number: new CardNumber(digits),
    expMonth,
    expYear,
    securityCode: code === null ? null : new SecurityCode(code),
    postalCode: typed.postalCode,
    addressLine1: typed.addressLine1,
    ...(typed.holder && { holder: typed.holder }),
  };
  return { kind: "card", card: { brand: brand.name, credentials } };
}

function wrong(problem: CardProblem): Parsed {
  return { kind: "problem", problem };
}

/**
 * Returns the digits without spaces and dashes. Returns null if there is any other character or the length is invalid.
 */
function readDigits(text: string): string | null {
  const digits = text.replace(/[ \u00a0-]/g, "");
  // ISO/IEC 7812-1 allows at most 19 digits. The shortest number that a network issues has 12.
  return /^[0-9]{12,19}$/.test(digits) ? digits : null;
}

/** No network issues cards that are valid for longer, so a later year is a typing error. */
const maxCardLifeYears = 50;

function fourDigitYear(year: number): number | null {
  if (!Number.isInteger(year) || year < 0) return null;
  if (year < 100) return 2000 + year;
  return year >= 1000 ? year : null;
}

/**
 * Returns whether a card has expired. A card is valid until its month has ended in every time zone, twelve hours after
 * the end of the month in UTC. The issuer makes the final decision.
 */
export function isExpired(card: { expMonth: number; expYear: number }, now: Date): boolean {
  const monthEndsEverywhere = Date.UTC(card.expYear, card.expMonth, 1, 12);
  return now.getTime() >= monthEndsEverywhere;
}

/**
 * Parses a security code for a saved card. Returns null if the characters are invalid or the length does not match the
 * brand.
 */
export function parseSecurityCode(text: string, brand: CardBrand): SecurityCode | null {
  const sizes = codeSizesOf(brand);
  return isSecurityCode(text, sizes) ? new SecurityCode(text) : null;
}

/** Returns the valid lengths of a brand's security code. */
function codeSizesOf(brand: CardBrand): readonly number[] {
  const names = Object.entries(brandNames).find(([, name]) => name === brand);
  const type = names && creditCardType.getTypeInfo(names[0]);
  return type ? [type.code.size] : unknownBrand.codeSizes;
}

function isSecurityCode(code: string, sizes: readonly number[]): boolean {
  return /^[0-9]+$/.test(code) && sizes.includes(code.length);
}

type Brand = {
  readonly name: CardBrand;
  readonly lengths: readonly number[];
  readonly codeSizes: readonly number[];
};

/** The rules for a card whose network is not known. Such a card is accepted, because the acquirer may support it. */
const unknownBrand: Brand = {
  name: "unknown",
  lengths: [12, 13, 14, 15, 16, 17, 18, 19],
  codeSizes: [3, 4],
};

/** Maps the library's brand names to the brands of the API. Every other brand is `unknown`. */
const brandNames: Readonly<Record<string, CardBrand>> = {
  visa: "visa",
  mastercard: "mastercard",
  "american-express": "amex",
  discover: "discover",
  "diners-club": "diners",
  jcb: "jcb",
  unionpay: "unionpay",
};

function brandOf(digits: string): Brand {
  const candidates = creditCardType(digits);
  const match = candidates.find((type) => type.lengths.includes(digits.length)) ?? candidates[0];
  if (!match) return unknownBrand;
  return {
    name: brandNames[match.type] ?? "unknown",
    lengths: match.lengths,
    codeSizes: [match.code.size],
  };
}
