import type { CheckResult } from "@florin/contract/charge.ts";
import type { CardChecks } from "../outcome.ts";

type AddressChecks = Pick<CardChecks, "addressLine1Check" | "addressPostalCodeCheck">;

const address = (
  addressLine1Check: CheckResult,
  addressPostalCodeCheck: CheckResult,
): AddressChecks => ({ addressLine1Check, addressPostalCodeCheck });

/**
 * The address checks for each of Checkout.com's AVS codes (checkout.com/docs/developer-resources/codes/avs-codes). The
 * comment beside each code is Checkout.com's description. The codes that begin with `AE` also compare the name. A check
 * that the description does not mention is `unavailable`.
 */
export const avsCodes: Readonly<Record<string, AddressChecks>> = {
  A: address("pass", "fail"), // Street address matches, ZIP code does not match
  B: address("pass", "unchecked"), // Street address matches. ZIP code not verified (incorrect format)
  C: address("unchecked", "unchecked"), // Street address and ZIP code not verified (incorrect format)
  D: address("pass", "pass"), // Street address and ZIP code match
  F: address("pass", "pass"), // Street address and ZIP code match. Applies to UK-issued cards
  G: address("unavailable", "unavailable"), // Not verified or not supported
  I: address("unchecked", "unchecked"), // Street address and ZIP code not verified
  M: address("pass", "pass"), // Street address and ZIP code match
  N: address("fail", "fail"), // Street address and ZIP code do not match
  P: address("unchecked", "pass"), // ZIP code matches. Street address not verified (incorrect format)
  R: address("unavailable", "unavailable"), // Service unavailable
  S: address("unavailable", "unavailable"), // Not supported
  U: address("unavailable", "unavailable"), // Not verified due to lack of issuer support or system malfunction
  W: address("fail", "pass"), // ZIP code matches, street address does not
  X: address("pass", "pass"), // ZIP code and address match
  Y: address("pass", "pass"), // Cardholder street address and ZIP code match
  Z: address("unavailable", "pass"), // ZIP code matches
  AE1: address("unavailable", "pass"), // Cardholder name incorrect but ZIP code match
  AE2: address("pass", "pass"), // Cardholder name incorrect, but street and ZIP code match
  AE3: address("pass", "unavailable"), // Cardholder name incorrect, but street match
  AE4: address("unavailable", "unavailable"), // Cardholder name matches
  AE5: address("unavailable", "pass"), // Cardholder name and ZIP code match
  AE6: address("pass", "pass"), // Cardholder name, street, and ZIP code match
  AE7: address("pass", "unavailable"), // Cardholder name and street match
  AE8: address("fail", "fail"), // Cardholder name, street and ZIP code do not match
};

/** Checkout.com's CVV codes (checkout.com/docs/developer-resources/codes/cvv-response-codes). */
const cvvCodes: Readonly<Record<string, CheckResult | null>> = {
  D: "fail", // The CVV did not match.
  N: null, // The CVV should be on the card, but you indicated that it is not present.
  P: "unchecked", // The CVV check was not performed.
  U: "unavailable", // The issuer does not support CVVs.
  X: "unavailable", // The CVV information is not available.
  Y: "pass", // The CVV matched.
};

/** Returns the checks of a response. A code that is not in the tables is `unavailable`, and an absent one is null. */
export function checksOf(avsCheck: string | null, cvvCheck: string | null): CardChecks {
  const cvv = cvvCheck === null ? null : cvvCodes[cvvCheck];
  return { ...addressChecksOf(avsCheck), cvcCheck: cvv === undefined ? "unavailable" : cvv };
}

function addressChecksOf(avsCheck: string | null) {
  if (avsCheck === null) return { addressLine1Check: null, addressPostalCodeCheck: null };
  return avsCodes[avsCheck] ?? address("unavailable", "unavailable");
}
