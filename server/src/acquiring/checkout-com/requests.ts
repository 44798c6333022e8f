import assert from "node:assert/strict";
import type { CardNetwork, DigitalWallet } from "@florin/contract/payment-method.ts";
import { type AttemptId, type ChargeId, type OperationId, parseId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { NetworkToken } from "../../vault/card-number.ts";
import { CardPlaceholder, type PreparedJson } from "../card-placeholder.ts";
import { idempotencyKey, type KeyedConnection } from "../idempotency-key.ts";
import { amountNotRepresentable, type Rejected } from "../outcome.ts";
import type {
  AuthenticationData,
  CredentialUse,
  OperationKind,
  Payer,
  PayerAddress,
  RedirectPermission,
} from "../processor.ts";
import { present, safeReference } from "../request-fields.ts";
import { toCheckoutComAmount } from "./currencies.ts";

/**
 * Builds the requests of Checkout.com's API. Fields and limits: nas-openapi.json in the public repository
 * checkout/checkout-api-reference, and its successor at api-reference.checkout.com for fields that are newer. No
 * function here handles card data: bodies contain placeholders.
 */
export type CheckoutComRequest = {
  readonly method: "GET" | "POST" | "PUT";
  /** The path with the query. */
  readonly path: string;
  /** Null for a request that Checkout.com does not deduplicate. */
  readonly idempotencyKey: string | null;
  readonly body: { readonly [key: string]: PreparedJson } | null;
  /** A shorter response timeout that replaces the client's. */
  readonly timeoutMs?: number;
};

export type CheckoutComConnection = KeyedConnection & {
  /** The processing channel, whose ID begins with `pc_`. */
  readonly channel: string;
};

/**
 * Returns the origin of the API. Each company has its own prefix
 * (checkout.com/docs/developer-resources/api/api-endpoints).
 */
export function apiOrigin(environment: "sandbox" | "live", prefix: string): string {
  assert.match(prefix, prefixPattern);
  return `https://${prefix}.api.${environment === "live" ? "" : "sandbox."}checkout.com`;
}

/** The prefixes that the official SDK accepts (checkout-sdk-java, `EnvironmentSubdomain`). */
export const prefixPattern = /^(?:pl-)?[a-z0-9]+$/;

/**
 * The metadata key under which Checkout.com's events contain the processing channel. The events of payments have no
 * other field with the channel.
 */
export const channelKey = "florin_channel";

export type PaymentTerms = {
  readonly reference: AttemptId;
  readonly price: Money;
  /** True to capture with the authorization, false to capture later. Null for a verification of the card. */
  readonly capture: boolean | null;
  readonly payer: Payer;
  readonly descriptor: Descriptor | null;
};

export type PaymentRequest = PaymentTerms & {
  readonly hasSecurityCode: boolean;
  /** Set if the card is a network token. */
  readonly networkToken: Omit<NetworkToken, "cryptogram"> | null;
  readonly use: CredentialUse;
  /** The 3-D Secure result of another provider. */
  readonly authentication: AuthenticationData | null;
  /** Set if Checkout.com may redirect the cardholder. */
  readonly redirect: RedirectPermission | null;
  /** The network that the cardholder chose for a co-badged card. Null leaves the choice to Checkout.com. */
  readonly network: CardNetwork | null;
};

/** The text on the bank statement. Checkout.com requires both parts (schema `BillingDescriptor`). */
export type Descriptor = { readonly name: string; readonly city: string };

/** Returns the request that charges the card. An amount of zero verifies the card (`amount` of `PaymentRequest`). */
export function paymentRequest(
  connection: CheckoutComConnection,
  request: PaymentRequest,
): CheckoutComRequest | Rejected {
  const { payer, redirect, use } = request;
  return payment(
    connection,
    request,
    {
      ...credential(request.networkToken),
      expiry_month: new CardPlaceholder("expiryMonthNumber"),
      expiry_year: new CardPlaceholder("expiryYearNumber"),
      ...(request.hasSecurityCode ? { cvv: new CardPlaceholder("securityCode") } : {}),
      ...present("name", payer.name),
      ...(use.kind === "saved" ? { stored: true } : {}),
      ...contact(payer),
    },
    {
      ...credentialFields(use),
      "3ds": authenticationFields(request),
      ...(redirect === null
        ? {}
        : { success_url: redirect.returnUrl, failure_url: redirect.returnUrl }),
      ...processing(request.network),
    },
  );
}

/**
 * The timeout of the exchange of a wallet's token. It is short, so that the payment request can then use the full
 * response timeout of the client.
 */
const exchangeTimeoutMs = 5_000;

/**
 * Returns the request that exchanges a wallet's token for a Checkout.com token, which can be charged once within 15
 * minutes (schemas `GooglePayTokenRequest` and `ApplePayTokenRequest`). It moves no money.
 */
export function exchangeRequest(wallet: DigitalWallet): CheckoutComRequest {
  return {
    method: "POST",
    path: "/tokens",
    idempotencyKey: null,
    timeoutMs: exchangeTimeoutMs,
    body: {
      type: wallet === "google_pay" ? "googlepay" : "applepay",
      token_data: new CardPlaceholder("gatewayTokenObject"),
    },
  };
}

/** Returns the request that charges a token of Checkout.com (schema `PaymentRequestTokenSource`). */
export function tokenPaymentRequest(
  connection: CheckoutComConnection,
  request: PaymentTerms & { readonly token: string },
): CheckoutComRequest | Rejected {
  const source = { type: "token", token: request.token, ...contact(request.payer) };
  return payment(connection, request, source, { "3ds": { enabled: false, allow_upgrade: false } });
}

function payment(
  connection: CheckoutComConnection,
  { reference, price, capture, payer, descriptor }: PaymentTerms,
  source: { readonly [key: string]: PreparedJson },
  more: { readonly [key: string]: PreparedJson },
): CheckoutComRequest | Rejected {
  const amount = toCheckoutComAmount(price);
  if (amount === null) return amountNotRepresentable;
  const kind = capture === null ? "verify" : "authorize";
  return post("/payments", idempotencyKey(connection, kind, reference), {
    source,
    ...amount,
    ...(capture === null ? {} : { capture }),
    reference: safeReference(reference),
    processing_channel_id: connection.channel,
    ...customer(payer),
    ...present("payment_ip", payer.ip),
    ...(descriptor === null ? {} : { billing_descriptor: descriptor }),
    ...more,
    metadata: { [channelKey]: connection.channel },
  });
}

function contact(payer: Payer): Record<string, PreparedJson> {
  return {
    ...(payer.address === null ? {} : { billing_address: billingAddress(payer.address) }),
    ...phone(payer.phone),
  };
}

/**
 * Returns the type of the source and its number. The source of a network token also contains the cryptogram and the ECI
 * (schema `PaymentRequestNetworkTokenSource`).
 */
function credential(networkToken: PaymentRequest["networkToken"]): Record<string, PreparedJson> {
  if (!networkToken) return { type: "card", number: new CardPlaceholder("number") };
  return {
    type: "network_token",
    token: new CardPlaceholder("number"),
    token_type: networkToken.source === "apple_pay" ? "applepay" : "googlepay",
    cryptogram: new CardPlaceholder("cryptogram"),
    ...present("eci", networkToken.eci),
  };
}

/**
 * Returns the fields for stored credentials
 * (checkout.com/docs/payments/accept-payments/pay-with-stored-card-details/unscheduled-payments-with-stored-card-details).
 * A merchant-initiated payment is unscheduled, because a charge does not say whether it belongs to a schedule.
 * `previous_payment_id` accepts the network transaction ID of a payment at another acquirer
 * (docs.checkout.com/quickstart/use-an-existing-card/stored-card-details).
 */
function credentialFields(use: CredentialUse): Record<string, PreparedJson> {
  switch (use.kind) {
    case "once":
      return {};
    case "to_be_saved":
      return { payment_type: "Unscheduled", merchant_initiated: false };
    case "saved":
      if (use.initiatedBy === "customer") return {};
      return {
        payment_type: "Unscheduled",
        merchant_initiated: true,
        ...present("previous_payment_id", use.networkTransactionId),
      };
  }
}

/**
 * Returns the 3-D Secure fields: the result of another provider
 * (checkout.com/docs/payments/regulation-support/3d-secure-payments-with-a-third-party-provider), or the request for
 * Checkout.com's own authentication. If the acquirer decides, Checkout.com first sends the payment without 3-D Secure,
 * and redirects the cardholder only if the issuer then requires it. For a payment whose cardholder cannot be
 * redirected, this retry with 3-D Secure (`allow_upgrade`) must be off
 * (checkout.com/docs/payments/authenticate-payments/manage-sca-retries).
 */
function authenticationFields({
  authentication,
  redirect,
}: PaymentRequest): Record<string, PreparedJson> {
  if (authentication?.authenticationValue) {
    return {
      enabled: true,
      cryptogram: authentication.authenticationValue,
      xid: authentication.dsTransactionId,
      version: authentication.version,
      ...present("eci", authentication.eci),
    };
  }
  if (redirect === null) return { enabled: false, allow_upgrade: false };
  return redirect.required ? { enabled: true } : { enabled: false, allow_upgrade: true };
}

/** The networks of co-badged cards (checkout-sdk-java, `ProcessingSettings.preferredScheme`). */
const preferableNetworks: ReadonlySet<CardNetwork> = new Set([
  "visa",
  "mastercard",
  "cartes_bancaires",
]);

function processing(network: CardNetwork | null): Record<string, PreparedJson> {
  const isPreferable = network !== null && preferableNetworks.has(network);
  return isPreferable ? { processing: { preferred_scheme: network } } : {};
}

function customer({ email, name }: Payer): Record<string, PreparedJson> {
  // Checkout.com stores customers by email address, so a name alone has no effect.
  return email === null ? {} : { customer: { email, ...present("name", name) } };
}

/** Returns the address, with the limits of the schema `Address`. Empty fields are left out. */
function billingAddress(address: PayerAddress): Record<string, string> {
  return {
    ...present("address_line1", address.line1?.slice(0, 200) ?? null),
    ...present("city", address.city?.slice(0, 50) ?? null),
    ...present("state", address.state),
    ...present("zip", address.postalCode?.slice(0, 50) ?? null),
    ...present("country", address.country),
  };
}

/** The country calling codes with one and two digits. All others have three (ITU-T E.164, "List of assigned codes"). */
const callingCode =
  /^\+(1|7|2[07]|3[0123469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d{6,25})$/;

/** Returns the phone number. Without a country code, Checkout.com would reject the request. */
function phone(number: string | null): Record<string, PreparedJson> {
  const match = callingCode.exec(number?.replaceAll(/[\s().-]/g, "") ?? "");
  if (match === null) return {};
  return { phone: { country_code: `+${match[1]}`, number: match[2] as string } };
}

/**
 * Returns the descriptor of a charge. An assignment's text contains the city after its last comma, such as
 * `FIELDWARE, LONDON`. The charge's own text replaces the name. Returns null without a city, so that the text of the
 * processing channel applies.
 */
export function descriptorOf(own: string | null, assigned: string | null): Descriptor | null {
  const parts = assigned?.split(",") ?? [];
  const city = parts.length > 1 ? plain(parts.pop() ?? "", 13) : "";
  const name = plain(own ?? parts.join(","), 25);
  return name === "" || city === "" ? null : { name, city };
}

/** Removes the characters that card networks do not print, and cuts the text to the maximum length of the field. */
function plain(text: string, length: number): string {
  return text
    .normalize("NFKD")
    .replaceAll(/[^a-zA-Z0-9 .,'_\-?+*/]/g, "")
    .trim()
    .slice(0, length)
    .trim();
}

export function retrieveRequest(payment: string): CheckoutComRequest {
  return get(`/payments/${safeId("pay", payment)}`);
}

export function actionsRequest(payment: string): CheckoutComRequest {
  return get(`/payments/${safeId("pay", payment)}/actions`);
}

/**
 * Returns the inquiry by our reference (checkout.com/docs/payments/manage-payments/get-a-list-of-payments). The list
 * begins with the newest payment, and has at most 100.
 */
export function searchRequest(reference: ChargeId): CheckoutComRequest {
  return get(`/payments?limit=100&skip=0&reference=${safeReference(reference)}`);
}

export type OperationTarget = {
  readonly reference: OperationId;
  readonly payment: string;
  readonly price: Money;
};

/** Returns the capture. It is final, so that Checkout.com releases the rest of the authorization. */
export function captureRequest(
  connection: CheckoutComConnection,
  target: OperationTarget,
): CheckoutComRequest | Rejected {
  const amount = toCheckoutComAmount(target.price);
  if (amount === null) return amountNotRepresentable;
  return action(connection, "capture", target, {
    amount: amount.amount,
    capture_type: "Final",
  });
}

export function voidRequest(
  connection: CheckoutComConnection,
  target: OperationTarget,
): CheckoutComRequest {
  return action(connection, "void", target, {});
}

export function refundRequest(
  connection: CheckoutComConnection,
  target: OperationTarget,
): CheckoutComRequest | Rejected {
  const amount = toCheckoutComAmount(target.price);
  if (amount === null) return amountNotRepresentable;
  return action(connection, "refund", target, { amount: amount.amount });
}

/**
 * The prefix of the reference that the void or refund of a reversal has. An action without our reference, such as one
 * from Checkout.com's Dashboard, has the reference of its payment, which is the ID of the charge.
 */
const reversalPrefix = "rv_";

export function reversalReference(charge: ChargeId): string {
  return safeReference(charge).replace(/^ch_/, reversalPrefix);
}

/**
 * Returns the ID of the charge that the void or refund with this reference reverses. Returns null for any other
 * reference.
 */
export function reversedCharge(reference: string): ChargeId | null {
  if (!reference.startsWith(reversalPrefix)) return null;
  return parseId("ch", `ch_${reference.slice(reversalPrefix.length)}`);
}

export type ReversalTarget = {
  readonly charge: ChargeId;
  readonly payment: string;
  /** Distinguishes the requests. Requests with the same value have the same idempotency key. */
  readonly attempt: string;
};

/**
 * Returns the request that voids or refunds a whole payment. After the first success, Checkout.com rejects any further
 * one, so each attempt can have its own idempotency key.
 */
export function reversalRequest(
  connection: CheckoutComConnection,
  kind: "voids" | "refunds",
  { charge, payment, attempt }: ReversalTarget,
): CheckoutComRequest {
  const path = `/payments/${safeId("pay", payment)}/${kind}`;
  return post(path, idempotencyKey(connection, `reverse_${kind}_${attempt}`, charge), {
    reference: reversalReference(charge),
    metadata: { [channelKey]: connection.channel },
  });
}

function action(
  connection: CheckoutComConnection,
  kind: OperationKind,
  { payment, reference }: OperationTarget,
  fields: Record<string, PreparedJson>,
): CheckoutComRequest {
  const path = `/payments/${safeId("pay", payment)}/${kind}s`;
  return post(path, idempotencyKey(connection, kind, reference), {
    ...fields,
    reference: safeReference(reference),
    metadata: { [channelKey]: connection.channel },
  });
}

function post(
  path: string,
  key: string,
  body: { readonly [key: string]: PreparedJson },
): CheckoutComRequest {
  return { method: "POST", path, idempotencyKey: key, body };
}

export function get(path: string): CheckoutComRequest {
  return { method: "GET", path, idempotencyKey: null, body: null };
}

/** Asserts that the text is an ID of one of Checkout.com's objects, which is safe in a path. */
export function safeId(prefix: "pay" | "dsp" | "rpt" | "file", id: string): string {
  assert.match(id, /^[a-z]{3,4}_[0-9A-Za-z]{1,60}$/, `The ${prefix} ID is malformed.`);
  assert.ok(id.startsWith(`${prefix}_`), `The ID does not begin with ${prefix}_.`);
  return id;
}
