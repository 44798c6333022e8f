import type { CheckResult } from "@florin/contract/charge.ts";
import type { CardChecks } from "../outcome.ts";

type AddressChecks = Pick<CardChecks, "addressLine1Check" | "addressPostalCodeCheck">;

const address = (
  addressLine1Check: CheckResult | null,
  addressPostalCodeCheck: CheckResult | null,
): AddressChecks => ({ addressLine1Check, addressPostalCodeCheck });

/**
 * The address checks for each of Adyen's AVS results. Adyen's OpenAPI document links to the list of results at
 * `avsResult` (docs.adyen.com/risk-management/configure-standard-risk-rules/consistency-rules). The comment beside each
 * result is Adyen's description. Results 19 to 26 also compare the name. A check that the description does not mention
 * is `unavailable`.
 */
export const avsResults: Readonly<Record<string, AddressChecks>> = {
  0: address("unavailable", "unavailable"), // Unknown
  1: address("pass", "fail"), // Address matches, postal code doesn't
  2: address("fail", "fail"), // Neither postal code nor address match
  3: address("unavailable", "unavailable"), // AVS unavailable
  4: address("unavailable", "unavailable"), // AVS not supported for this card type
  5: address(null, null), // No AVS data provided
  6: address("fail", "pass"), // Postal code matches, but the address does not match
  7: address("pass", "pass"), // Both postal code and address match
  8: address("unchecked", "unavailable"), // Address not checked, postal code unknown
  9: address("pass", "unavailable"), // Address matches, postal code unknown
  10: address("fail", "unavailable"), // Address doesn't match, postal code unknown
  11: address("unavailable", "unchecked"), // Postal code not checked, address unknown
  12: address("pass", "unchecked"), // Address matches, postal code not checked
  13: address("fail", "unchecked"), // Address doesn't match, postal code not checked
  14: address("unavailable", "pass"), // Postal code matches, address unknown
  15: address("unchecked", "pass"), // Postal code matches, address not checked
  16: address("unavailable", "fail"), // Postal code doesn't match, address unknown
  17: address("unchecked", "fail"), // Postal code doesn't match, address not checked
  18: address("unchecked", "unchecked"), // Neither postal code nor address were checked
  19: address("unavailable", "pass"), // Name and postal code matches
  20: address("pass", "pass"), // Name, address and postal code matches
  21: address("pass", "unavailable"), // Name and address matches
  22: address("unavailable", "unavailable"), // Name matches
  23: address("unavailable", "pass"), // Postal code matches, name doesn't match
  24: address("pass", "pass"), // Both postal code and address matches, name doesn't match
  25: address("pass", "unavailable"), // Address matches, name doesn't match
  26: address("fail", "fail"), // Neither postal code, address nor name matches
};

/** Adyen's CVC results (docs.adyen.com/development-resources/testing/result-codes/cvc-cvv-cid-result-codes). */
export const cvcResults: Readonly<Record<string, CheckResult | null>> = {
  0: "unavailable", // Unknown
  1: "pass", // Matches
  2: "fail", // Doesn't match
  3: "unchecked", // Not checked
  4: "unchecked", // No CVC/CVV provided, but was required
  5: "unavailable", // Issuer not certified for CVC/CVV
  6: null, // No CVC/CVV provided
};

/**
 * Returns the checks of a response. A result has the form `7 Both postal code and address match` or `7`. A result that
 * is not in the tables is `unavailable`, and an absent one is null.
 */
export function checksOf(avsResult: string | null, cvcResult: string | null): CardChecks {
  const cvc = numberOf(cvcResult);
  const known = cvc === null ? null : cvcResults[cvc];
  return {
    ...addressChecksOf(numberOf(avsResult)),
    cvcCheck: known === undefined ? "unavailable" : known,
  };
}

function addressChecksOf(number: string | null): AddressChecks {
  if (number === null) return address(null, null);
  return avsResults[number] ?? address("unavailable", "unavailable");
}

/** Returns the number at the beginning of a result, or null if there is no result. */
function numberOf(result: string | null): string | null {
  if (result === null || result === "") return null;
  return /^(\d{1,2})(?:\s|$)/.exec(result)?.[1] ?? "not a number";
}
