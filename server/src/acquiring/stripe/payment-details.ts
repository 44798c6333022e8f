import type { CheckResult } from "@florin/contract/charge.ts";
import type { CardBrand, Funding } from "@florin/contract/payment-method.ts";
import { validExpiry } from "../account-update.ts";
import { isJsonObject, type JsonObject, numberOf, objectOf, textOf } from "../json-object.ts";
import type { AuthorizationDetails } from "../outcome.ts";

/**
 * Returns the details of a charge, from `payment_method_details.card` and `outcome`
 * (docs.stripe.com/api/charges/object). If the response contains only the ID of the charge, the only detail that is not
 * null is the reference of the payment.
 */
export function detailsOf(paymentIntent: string, charge: unknown): AuthorizationDetails {
  const fields = isJsonObject(charge) ? charge : {};
  const card = objectOf(objectOf(fields, "payment_method_details"), "card");
  const checks = objectOf(card, "checks");
  const authentication = objectOf(card, "three_d_secure");
  const eci = textOf(authentication, "electronic_commerce_indicator");
  return {
    acquirerReference: paymentIntent,
    authorizationCode: textOf(fields, "authorization_code"),
    eci: eci !== null && /^\d{2}$/.test(eci) ? eci : null,
    liabilityShifted: liabilityOf(textOf(authentication, "result")),
    networkTransactionId: textOf(card, "network_transaction_id"),
    networkAdviceCode: textOf(objectOf(fields, "outcome"), "network_advice_code"),
    checks: {
      cvcCheck: checkOf(checks, "cvc_check"),
      addressLine1Check: checkOf(checks, "address_line1_check"),
      addressPostalCodeCheck: checkOf(checks, "address_postal_code_check"),
    },
    card: {
      brand: brandOf(textOf(card, "brand")),
      funding: fundingOf(textOf(card, "funding")),
      country: matching(/^[A-Z]{2}$/, textOf(card, "country")),
      last4: matching(/^\d{4}$/, textOf(card, "last4")),
      expiry: validExpiry({ month: numberOf(card, "exp_month"), year: numberOf(card, "exp_year") }),
    },
    // Stripe updates only the cards that it stores itself (docs.stripe.com/saving-cards, "automatic card updates").
    accountUpdate: null,
  };
}

/**
 * Returns whether the issuer is liable. Only the results `authenticated` and `attempt_acknowledged` shift the liability
 * (docs.stripe.com/payments/3d-secure, "disputes and liability shift").
 */
function liabilityOf(result: string | null): boolean | null {
  if (result === null) return null;
  return result === "authenticated" || result === "attempt_acknowledged";
}

const checkResults: ReadonlySet<string> = new Set(["pass", "fail", "unavailable", "unchecked"]);

/** Returns the result of a check. Stripe's four results have the same names as Florin's (`checks` of a charge's card). */
function checkOf(checks: JsonObject, name: string): CheckResult | null {
  const result = textOf(checks, name);
  return result !== null && checkResults.has(result) ? (result as CheckResult) : null;
}

const brands: ReadonlySet<string> = new Set([
  "visa",
  "mastercard",
  "amex",
  "discover",
  "diners",
  "jcb",
  "unionpay",
]);

function brandOf(brand: string | null): CardBrand | null {
  return brand !== null && brands.has(brand) ? (brand as CardBrand) : null;
}

function fundingOf(funding: string | null): Funding | null {
  return funding === "credit" || funding === "debit" || funding === "prepaid" ? funding : null;
}

function matching(pattern: RegExp, text: string | null): string | null {
  return text !== null && pattern.test(text) ? text : null;
}
