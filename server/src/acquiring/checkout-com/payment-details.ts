import type { CardBrand, CardNetwork, Funding } from "@florin/contract/payment-method.ts";
import { accountUpdateOf, validExpiry } from "../account-update.ts";
import { type JsonObject, numberOf, objectOf, textOf } from "../json-object.ts";
import type { AccountUpdate, AuthorizationDetails } from "../outcome.ts";
import { checksOf } from "./checks.ts";

/**
 * Returns the details of a payment, from a response or an event (schemas `PaymentResponse`, `PaymentDetails` and
 * `PaymentResponseCardSource`). Events name the last digits `last_4`. Checkout.com does not state who is liable. Only a
 * payment that it downgraded was certainly not authenticated.
 */
export function detailsOf(id: string, payment: JsonObject): AuthorizationDetails {
  const source = objectOf(payment, "source");
  const authentication = objectOf(payment, "3ds");
  const network = networkOf(textOf(source, "scheme"));
  return {
    acquirerReference: id,
    authorizationCode: textOf(payment, "auth_code"),
    eci: matching(/^\d{2}$/, textOf(payment, "eci") ?? textOf(authentication, "eci")),
    liabilityShifted: authentication.downgraded === true ? false : null,
    // In a stored event, an ID that has the form of a card number is masked, and does not match.
    networkTransactionId: matching(/^[0-9A-Za-z]+$/, textOf(payment, "scheme_id")),
    networkAdviceCode: matching(/^\d{2}$/, merchantAdviceOf(payment)),
    checks: checksOf(textOf(source, "avs_check"), textOf(source, "cvv_check")),
    card: {
      brand: brandOf(network),
      funding: fundingOf(textOf(source, "card_type")),
      country: matching(/^[A-Z]{2}$/, textOf(source, "issuer_country")),
      last4: matching(/^\d{4}$/, textOf(source, "last4") ?? textOf(source, "last_4")),
      expiry: validExpiry(expiryOf(source)),
    },
    accountUpdate: updateOf(payment, source),
  };
}

/**
 * The values of `account_update_status`
 * (checkout.com/docs/payments/store-and-manage-credentials/update-stored-credentials/real-time-account-updater).
 */
const updateKinds: Readonly<Record<string, AccountUpdate["kind"]>> = {
  card_updated: "card_replaced",
  card_expiry_updated: "expiry_changed",
  card_closed: "account_closed",
  contact_cardholder: "contact_cardholder",
};

/**
 * Returns the result of the Real-Time Account Updater. After a change of the expiry date, the source contains the new
 * date.
 */
function updateOf(payment: JsonObject, source: JsonObject): AccountUpdate | null {
  const status =
    textOf(source, "account_update_status") ?? textOf(payment, "account_update_status") ?? "";
  const kind = Object.hasOwn(updateKinds, status) ? (updateKinds[status] ?? null) : null;
  return accountUpdateOf(kind, expiryOf(source));
}

function expiryOf(source: JsonObject) {
  return { month: numberOf(source, "expiry_month"), year: numberOf(source, "expiry_year") };
}

/** Returns Mastercard's merchant advice code, which the response of a declined payment contains. */
export function merchantAdviceOf(payment: JsonObject): string | null {
  return textOf(objectOf(payment, "processing"), "partner_merchant_advice_code");
}

/** Checkout.com's names of card networks, in lower case. Responses and events spell them differently. */
const networks: readonly (readonly [RegExp, CardNetwork])[] = [
  [/^visa/, "visa"],
  [/^(?:mastercard|maestro)/, "mastercard"],
  [/^(?:amex|american express)/, "amex"],
  [/^discover/, "discover"],
  [/^diners/, "diners"],
  [/^jcb/, "jcb"],
  [/^(?:china )?union ?pay/, "unionpay"],
  [/^cartes? bancaires?/, "cartes_bancaires"],
];

export function networkOf(scheme: string | null): CardNetwork | null {
  const text = scheme?.toLowerCase().replaceAll("_", " ") ?? "";
  return networks.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

function brandOf(network: CardNetwork | null): CardBrand | null {
  return network === "cartes_bancaires" ? null : network;
}

/** The values of `card_type`, in lower case. */
const fundings: Readonly<Record<string, Funding>> = {
  credit: "credit",
  charge: "credit",
  debit: "debit",
  "deferred debit": "debit",
  prepaid: "prepaid",
};

function fundingOf(cardType: string | null): Funding | null {
  const text = cardType?.toLowerCase().replaceAll("_", " ") ?? "";
  return Object.hasOwn(fundings, text) ? (fundings[text] ?? null) : null;
}

function matching(pattern: RegExp, text: string | null): string | null {
  return text !== null && pattern.test(text) ? text : null;
}
