import { isLuhnValid } from "@florin/shared-fake/luhn.ts";
import { isNetworkTransactionId } from "@florin/shared-fake/network-transaction-id.ts";
import { isValidAmount } from "./amount.ts";
import { invalid } from "./api-error.ts";
import { cardFactsOf, schemeOf } from "./card.ts";
import type { Authentication, Card, Payment, Token } from "./records.ts";
import type { Context } from "./request-context.ts";
import { type Fields, integerOf, objectOf, textOf } from "./request-fields.ts";
import { tokenOf } from "./tokens.ts";

/** A valid request for a payment. */
export type PaymentOrder = {
  readonly channel: string;
  readonly reference: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly capture: boolean;
  readonly card: Card;
  readonly paymentType: string;
  readonly merchantInitiated: boolean;
  readonly stored: boolean;
  readonly previousPaymentId: string | null;
  readonly billingDescriptor: Payment["billingDescriptor"];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly customer: { readonly email: string | null; readonly name: string | null } | null;
  /** The data of an authentication by another provider. */
  readonly external: Authentication | null;
  /**
   * The ECI of a network token, or of a wallet token whose device has authenticated the cardholder. Null for any other
   * source.
   */
  readonly tokenEci: string | null;
  /** True if the cardholder must be redirected to Checkout.com. */
  readonly redirects: boolean;
  /** False if the request forbids a redirect after the issuer has required authentication. */
  readonly allowsUpgrade: boolean;
  readonly exemption: string | null;
  readonly successUrl: string | null;
  readonly failureUrl: string | null;
};

/**
 * The types of payments (schema `PaymentRequest`). `Unscheduled` is newer
 * (checkout.com/docs/payments/accept-payments/pay-with-stored-card-details/unscheduled-payments-with-stored-card-details).
 */
const paymentTypes: ReadonlySet<string> = new Set([
  "Regular",
  "Recurring",
  "MOTO",
  "Installment",
  "Unscheduled",
]);

/** The maximum length of a payment's reference (schema `PaymentRequest`). */
const maxReferenceLength = 50;
/** The maximum length of the reference if the card is an American Express card (same schema). */
const maxAmexReferenceLength = 30;

/** Reads a request for a card payment (nas-openapi.json, schema `PaymentRequest`). Throws with all error codes. */
export function readPaymentOrder(context: Context): PaymentOrder {
  const { platform, body } = context;
  const codes: string[] = [];
  const channel = channelOf(context, codes);
  const source = objectOf(body, "source");
  if (source === null) throw invalid("payment_source_required");
  const type = textOf(source, "type");
  const isNetworkToken = type === "network_token";
  const isWallet = type === "token";
  if (type !== "card" && !isNetworkToken && !isWallet) throw invalid("source_type_invalid");
  const walletToken = isWallet
    ? tokenOf(platform, context.account.id, textOf(source, "token") ?? "", codes)
    : null;
  const number = isWallet
    ? (walletToken?.card.number ?? null)
    : textOf(source, isNetworkToken ? "token" : "number");
  if (isWallet) {
    const extra = Object.keys(source).filter((name) => !walletFields.has(name));
    codes.push(...extra.map((name) => `${name}_invalid`));
  } else if (number === null)
    codes.push(isNetworkToken ? "token_required" : "card_number_required");
  else if (!/^\d{12,19}$/.test(number) || !isLuhnValid(number)) codes.push("card_number_invalid");
  const expiry = isWallet
    ? { month: walletToken?.card.expMonth ?? 0, year: walletToken?.card.expYear ?? 0 }
    : expiryOf(context, source, codes);
  const cvv = textOf(source, "cvv");
  if (cvv !== null && !/^\d{3,4}$/.test(cvv)) codes.push("cvv_invalid");
  const currency = textOf(body, "currency");
  if (currency === null) codes.push("currency_required");
  else if (!/^[A-Z]{3}$/.test(currency)) codes.push("currency_invalid");
  // Without an amount, the request verifies the card (checkoutdocs.readme.io/docs/card-verification).
  const amount = body.amount === undefined ? 0 : integerOf(body, "amount");
  if (amount === null || !isValidAmount(amount, currency ?? "")) codes.push("amount_invalid");
  const reference = textOf(body, "reference");
  const isAmex = schemeOf(number ?? "") === "AMERICAN EXPRESS";
  const maxLength = isAmex ? maxAmexReferenceLength : maxReferenceLength;
  if (reference !== null && reference.length > maxLength) codes.push("reference_invalid");
  const paymentType = textOf(body, "payment_type") ?? "Regular";
  if (!paymentTypes.has(paymentType)) codes.push("payment_type_invalid");
  const previousPaymentId = textOf(body, "previous_payment_id");
  if (previousPaymentId?.startsWith("pay_")) {
    const previous = platform.payments.get(previousPaymentId);
    if (previous?.account !== context.account.id) codes.push("previous_payment_id_invalid");
  } else if (previousPaymentId !== null) {
    // Any other ID must be the network transaction ID of a payment, which may have been made at another acquirer.
    const isMastercard = schemeOf(number ?? "") === "MASTERCARD";
    if (!isNetworkTransactionId(previousPaymentId, isMastercard)) {
      codes.push("previous_payment_id_invalid");
    }
  }
  const threeDs = objectOf(body, "3ds");
  const external = externalOf(threeDs, schemeOf(number ?? ""), previousPaymentId, codes);
  const tokenEci = isNetworkToken ? tokenEciOf(source, codes) : walletEciOf(walletToken);
  const merchantInitiated = body.merchant_initiated === true;
  // The cardholder of a merchant-initiated payment is absent and cannot be redirected.
  const redirects = threeDs?.enabled === true && external === null && !merchantInitiated;
  const successUrl = urlOf(body, "success_url", "success_url_invalid", codes);
  const failureUrl = urlOf(body, "failure_url", "fail_url_invalid", codes);
  if (redirects && successUrl === null) codes.push("success_url_required");
  if (redirects && failureUrl === null) codes.push("failure_url_required");
  const billingDescriptor = descriptorOf(body, codes);
  if (codes.length > 0) throw invalid(...codes);
  if (walletToken) platform.put<Token>(platform.tokens, { ...walletToken, used: true });
  const customer = objectOf(body, "customer");
  return {
    channel: channel as string,
    reference,
    amount: amount as number,
    currency: currency as string,
    capture: body.capture !== false,
    card: cardFactsOf(source, number as string, expiry, {
      id: platform.newId("src"),
      salt: platform.fingerprintSalt,
    }),
    paymentType,
    merchantInitiated,
    stored: source.stored === true,
    previousPaymentId,
    billingDescriptor,
    metadata: objectOf(body, "metadata") ?? {},
    customer: customer && { email: textOf(customer, "email"), name: textOf(customer, "name") },
    external,
    tokenEci,
    redirects,
    allowsUpgrade: threeDs?.allow_upgrade !== false,
    exemption: textOf(threeDs, "exemption"),
    successUrl,
    failureUrl,
  };
}

/** Returns the processing channel of the request, or the only channel of the account. */
function channelOf({ platform, account, body }: Context, codes: string[]): string | null {
  const named = textOf(body, "processing_channel_id");
  const own = [...platform.channels.values()].filter(({ account: owner }) => owner === account.id);
  if (named === null) {
    if (own.length === 1) return own[0]?.id ?? null;
    codes.push("processing_channel_id_required");
    return null;
  }
  if (own.some(({ id }) => id === named)) return named;
  codes.push("processing_channel_id_invalid");
  return null;
}

function expiryOf({ platform }: Context, source: Fields, codes: string[]) {
  const month = integerOf(source, "expiry_month");
  const year = integerOf(source, "expiry_year");
  if (month === null) codes.push("card_expiry_month_required");
  else if (month < 1 || month > 12) codes.push("card_expiry_month_invalid");
  if (year === null) codes.push("card_expiry_year_required");
  else if (year < 1000 || year > 9999) codes.push("card_expiry_year_invalid");
  if (month !== null && year !== null) {
    const now = new Date(platform.clock.nowMs());
    const isExpired = year * 12 + month <= now.getUTCFullYear() * 12 + now.getUTCMonth();
    if (isExpired) codes.push("card_expired");
  }
  return { month: month ?? 0, year: year ?? 0 };
}

const xidSchemes: ReadonlySet<string> = new Set(["MASTERCARD", "AMERICAN EXPRESS"]);

/**
 * Returns the authentication that another provider performed, or null if the request contains none. `xid` is required
 * only for 3-D Secure 1 and for the schemes in `xidSchemes`
 * (checkout.com/docs/payments/regulation-support/3d-secure-payments-with-a-third-party-provider).
 */
function externalOf(
  threeDs: Fields | null,
  scheme: string,
  previousPaymentId: string | null,
  codes: string[],
): Authentication | null {
  const eci = textOf(threeDs, "eci");
  const cryptogram = textOf(threeDs, "cryptogram");
  const isExternal = threeDs?.enabled === true && (eci !== null || cryptogram !== null);
  if (!isExternal) return null;
  const xid = textOf(threeDs, "xid");
  const version = textOf(threeDs, "version") ?? "1.0.0";
  const isComplete = (eci !== null && cryptogram !== null) || previousPaymentId !== null;
  const needsXid = version.startsWith("1") || xidSchemes.has(scheme);
  if (!isComplete || (xid === null && needsXid)) codes.push("parameter_invalid");
  if (!/^\d\.\d\.\d$/.test(version)) codes.push("3ds_version_invalid");
  return {
    kind: "external",
    result: /^0?[25]$/.test(eci ?? "") ? "Y" : "A",
    eci,
    cryptogram,
    xid,
    version,
    exemption: textOf(threeDs, "exemption"),
  };
}

/** The fields of the schema `PaymentRequestTokenSource`. */
const walletFields: ReadonlySet<string> = new Set(["type", "token", "billing_address", "phone"]);

/** Returns the ECI of a token whose device has authenticated the cardholder, or null. */
function walletEciOf(token: Token | null): string | null {
  return token?.card.authMethod === "CRYPTOGRAM_3DS" ? "05" : null;
}

const tokenTypes: ReadonlySet<string> = new Set(["vts", "mdes", "applepay", "googlepay"]);

/**
 * Returns the ECI of a network token (schema `PaymentRequestNetworkTokenSource`). The cryptogram and the ECI are
 * required, because the fake does not support network tokens that refer to an earlier payment.
 */
function tokenEciOf(source: Fields, codes: string[]): string | null {
  const eci = textOf(source, "eci");
  if (textOf(source, "cryptogram") === null) codes.push("cryptogram_required");
  if (eci === null) codes.push("eci_required");
  if (!tokenTypes.has(textOf(source, "token_type") ?? "")) codes.push("token_type_invalid");
  return eci;
}

function urlOf(body: Fields, name: string, code: string, codes: string[]): string | null {
  const url = textOf(body, name);
  if (url !== null && !(URL.canParse(url) && url.length <= 255)) codes.push(code);
  return url;
}

/** Reads the descriptor. Both fields are required, with at most 25 and 13 characters (schema `BillingDescriptor`). */
function descriptorOf(body: Fields, codes: string[]): Payment["billingDescriptor"] {
  const fields = objectOf(body, "billing_descriptor");
  if (fields === null) return null;
  const name = textOf(fields, "name");
  const city = textOf(fields, "city");
  if (name === null) codes.push("billing_descriptor_name_required");
  else if (name.length > 25) codes.push("billing_descriptor_name_invalid");
  if (city === null) codes.push("billing_descriptor_city_required");
  else if (city.length > 13) codes.push("billing_descriptor_city_invalid");
  return { name: name ?? "", city: city ?? "" };
}
