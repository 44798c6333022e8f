import type { CardBrand, CardNetwork, Funding } from "@florin/contract/payment-method.ts";
import { accountUpdateOf, validExpiry } from "../account-update.ts";
import type { AccountUpdate, AuthorizationDetails } from "../outcome.ts";
import { checksOf } from "./checks.ts";

/** The keys and values of `additionalData`. Adyen returns only the keys that are enabled in the account. */
export type AdditionalData = Readonly<Record<string, unknown>>;

/**
 * Returns the details of an authorization from `additionalData`. Responses and AUTHORISATION notifications contain the
 * same fields (schemas `ResponseAdditionalDataCommon` and `ResponseAdditionalDataCard`).
 */
export function detailsOf(
  pspReference: string,
  data: AdditionalData,
  paymentMethod: string | null,
): AuthorizationDetails {
  const method =
    paymentMethod ?? textOf(data, "paymentMethod") ?? textOf(data, "cardPaymentMethod");
  return {
    acquirerReference: pspReference,
    authorizationCode: textOf(data, "authCode"),
    eci: eciOf(textOf(data, "eci")),
    liabilityShifted: booleanOf(textOf(data, "liabilityShift")),
    networkTransactionId: textOf(data, "networkTxReference"),
    networkAdviceCode: adviceCodeOf(textOf(data, "merchantAdviceCode")),
    checks: checksOf(textOf(data, "avsResult"), textOf(data, "cvcResult")),
    card: {
      brand: brandOf(method),
      funding: fundingOf(textOf(data, "fundingSource")),
      country: countryOf(textOf(data, "issuerCountry") ?? textOf(data, "cardIssuingCountry")),
      last4: matching(/^\d{4}$/, textOf(data, "cardSummary")),
      expiry: validExpiry(expiryOf(data)),
    },
    accountUpdate: updateOf(data),
  };
}

/** The values of `realtimeAccountUpdaterStatus` (schema `ResponseAdditionalDataCommon`). */
const updateKinds: Readonly<Record<string, AccountUpdate["kind"]>> = {
  CardChanged: "card_replaced",
  CardExpiryChanged: "expiry_changed",
  CloseAccount: "account_closed",
  ContactCardAccountHolder: "contact_cardholder",
};

/**
 * Returns the result of Adyen's Real Time Account Updater. After a change of the expiry date, `expiryDate` contains the
 * new date, such as `3/2030`.
 */
function updateOf(data: AdditionalData): AccountUpdate | null {
  const status = textOf(data, "realtimeAccountUpdaterStatus") ?? "";
  const kind = Object.hasOwn(updateKinds, status) ? (updateKinds[status] ?? null) : null;
  return accountUpdateOf(kind, expiryOf(data));
}

/** Returns the expiry date in `expiryDate`, such as `3/2030`. */
function expiryOf(data: AdditionalData) {
  const [, month, year] = /^(\d{1,2})\/(\d{4})$/.exec(textOf(data, "expiryDate") ?? "") ?? [];
  return { month: Number(month ?? 0), year: Number(year ?? 0) };
}

/** Returns the text of a key. Returns null for an absent, empty or overlong value. */
export function textOf(data: AdditionalData, key: string): string | null {
  const value = Object.hasOwn(data, key) ? data[key] : null;
  return typeof value === "string" && value !== "" && value.length <= 500 ? value : null;
}

/**
 * Adyen's names of card networks (docs.adyen.com/development-resources/paymentmethodvariant). Variants such as
 * `mccredit` begin with the name of their network.
 */
const networks: readonly (readonly [RegExp, CardNetwork])[] = [
  [/^(?:visa|electron|vpay)/, "visa"],
  [/^(?:mc|maestro)/, "mastercard"],
  [/^amex/, "amex"],
  [/^discover/, "discover"],
  [/^diners/, "diners"],
  [/^jcb/, "jcb"],
  [/^cup/, "unionpay"],
  [/^cartebancaire/, "cartes_bancaires"],
];

export function networkOf(paymentMethod: string | null): CardNetwork | null {
  if (paymentMethod === null) return null;
  return networks.find(([pattern]) => pattern.test(paymentMethod))?.[1] ?? null;
}

function brandOf(paymentMethod: string | null): CardBrand | null {
  const network = networkOf(paymentMethod);
  return network === "cartes_bancaires" ? null : network;
}

/** The values of `fundingSource`. `DEFFERED_DEBIT` is Adyen's spelling. */
const fundings: Readonly<Record<string, Funding>> = {
  CHARGE: "credit",
  CREDIT: "credit",
  DEBIT: "debit",
  PREPAID: "prepaid",
  PREPAID_RELOADABLE: "prepaid",
  PREPAID_NONRELOADABLE: "prepaid",
  DEFFERED_DEBIT: "debit",
};

function fundingOf(source: string | null): Funding | null {
  return source !== null && Object.hasOwn(fundings, source) ? (fundings[source] ?? null) : null;
}

/** Returns the two-digit ECI, or null for any other text. Adyen sends `N/A` for a payment without 3-D Secure. */
function eciOf(eci: string | null): string | null {
  return matching(/^\d{1,2}$/, eci)?.padStart(2, "0") ?? null;
}

/** Returns the merchant advice code. Adyen sends it with its meaning: `01 : New account information available`. */
function adviceCodeOf(advice: string | null): string | null {
  return matching(/^\d{2}$/, advice?.split(" : ")[0] ?? null);
}

function countryOf(country: string | null): string | null {
  return matching(/^[A-Z]{2}$/, country);
}

/** Parses a boolean, which Adyen returns as a string. */
export function booleanOf(value: unknown): boolean | null {
  return value === "true" ? true : value === "false" ? false : null;
}

function matching(pattern: RegExp, text: string | null): string | null {
  return text !== null && pattern.test(text) ? text : null;
}
